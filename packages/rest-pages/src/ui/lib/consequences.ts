import { exactly } from '@steward/rest-client'
import type { LinkMetadata, ObjectMetadata } from '@steward/rest-core'
import { t } from './i18n.js'
import { metadataOf } from './service.js'
import { client } from './session.js'

const texts = { cascade: 'record.takesAlong', setNull: 'record.empties', refuse: 'record.prevents' } as const

/** What a deletion does to other records: a sentence for each reference by which some refer to these. @throws RestClientError */
export async function consequencesOf({ links }: ObjectMetadata, ids: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(links.map((link) => consequenceOf(link, ids)))
  return found.filter((one) => one !== '')
}

/** Empty: no record that the user may read refers to them. */
async function consequenceOf({ object, field, onDelete }: LinkMetadata, ids: readonly string[]): Promise<string> {
  const { count } = await client.object(object).count({ [field]: ids.map(exactly) })
  if (count === 0) return ''
  const { label, plurallabel } = await metadataOf(object, 'list')
  return t(texts[onDelete], { count, object: plurallabel || label || object })
}
