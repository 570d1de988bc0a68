import type { Counts } from './anonymise-dump.js'
import type { AnonymisationPlan } from './resolve-rules.js'
import { ruleText } from './rule.js'

/** What was done, without personal data: it is kept with the clone. */
export type AnonymisationReport = {
  readonly columns: readonly ReportedColumn[]
  /** Columns that look personal and have no rule: `Contact.con_notes (free text)`. */
  readonly unruled: readonly string[]
  readonly warnings: readonly string[]
}

/** A column with a rule, one that looks personal, or an object that is dropped (`field` is `*`). */
export type ReportedColumn = {
  readonly object: string
  readonly field: string
  /** `keep`, `null`, `fake email`, `hash`, `shuffle`, `drop`; empty: none. */
  readonly rule: string
  /** Values that are others now, or records that were dropped; absent: nothing was done yet. */
  readonly changed?: number
  /** Why it looks personal; empty: it does not. */
  readonly looks: string
}

/** @param counts absent: of what would be done */
export function reportOf({ objects }: AnonymisationPlan, counts?: Counts): AnonymisationReport {
  const columns = objects.flatMap(({ object, dropped, columns: all }): ReportedColumn[] => {
    const counted = counts?.[object.name]
    if (dropped)
      return [{ object: object.name, field: '*', rule: 'drop', ...(counted && { changed: counted.read }), looks: '' }]
    return (
      all
        // What is in created_by follows the logins, in every object.
        .filter(({ field, isSaid, looks }) => !field.technical && (isSaid || looks !== undefined))
        .map(({ field, rule, isSaid, looks }) => ({
          object: object.name,
          field: field.name,
          rule: isSaid ? ruleText(rule) : '',
          ...(counted && { changed: counted.changed[field.name] ?? 0 }),
          looks: looks?.what ?? '',
        }))
    )
  })
  const unruled = columns
    .filter(({ rule }) => rule === '')
    .map(({ object, field, looks }) => `${object}.${field} (${looks})`)
  const documents = objects
    .filter(({ dropped }) => !dropped)
    .flatMap(({ object, columns: all }) =>
      all.filter((column) => column.keepsDocuments).map(({ field }) => `${object.name}.${field.name}`),
    )
  return {
    columns,
    unruled,
    warnings: [
      ...(unruled.length > 0
        ? [
            `These columns look personal but have no rule: ${unruled.join(', ')}. Add a rule for each, even if it is ` +
              'keep.',
          ]
        : []),
      ...(documents.length > 0
        ? [
            `Documents and images of ${documents.join(', ')} are copied unchanged. To leave them out, set the rule null.`,
          ]
        : []),
    ],
  }
}
