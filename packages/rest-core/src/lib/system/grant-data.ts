import type { BusinessRecord } from '../model/model.js'
import type { GrantData } from '../rights/create-rights.js'
import { splitNames } from './check-grant.js'

/** A record of `Grant` as what it grants. */
export function grantDataOf(record: BusinessRecord): GrantData {
  const text = (field: string) => record[field] as string
  return {
    object: text('grt_object'),
    letters: text('grt_rights'),
    filter: text('grt_filter') || undefined,
    hidden: splitNames(text('grt_hidden_fields')),
    actions: named(text('grt_actions')),
    publications: named(text('grt_publications')),
    crosstabs: named(text('grt_crosstabs')),
  }
}

/** Granted names; an empty list grants all. */
function named(text: string): string[] | undefined {
  const names = splitNames(text)
  return names.length > 0 ? names : undefined
}
