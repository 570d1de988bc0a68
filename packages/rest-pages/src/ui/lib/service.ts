import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { client } from './session.js'

/** An object as the home page and the navigation need it. */
export interface ObjectInfo {
  readonly name: string
  readonly label: string
  readonly plural: string
  /** One that every application has: users, grants, parameters. */
  readonly isSystem: boolean
  /** Its records can be found by words among those of all objects. */
  readonly isIndexed: boolean
}

/** Names that the service reserves for itself. */
const systemObjects = new Set([
  'AuditEntry',
  'BackgroundTask',
  'Event',
  'Grant',
  'Group',
  'IdempotencyKey',
  'Lease',
  'Module',
  'Responsibility',
  'RevokedToken',
  'SystemParam',
  'User',
  'Webhook',
  'WebhookDelivery',
])

let metadata = new Map<string, Promise<ObjectMetadata>>()
let objects: Promise<readonly ObjectInfo[]> | undefined

/** Another user is told other things. */
export function forget(): void {
  metadata = new Map()
  objects = undefined
}

/** What an object is made of, as the user may know it. It is asked for once. @throws RestClientError */
export function metadataOf(object: string, context: string): Promise<ObjectMetadata> {
  const key = `${context} ${object}`
  const known = metadata.get(key)
  if (known) return known
  const asked = client.object(object).metadata(context) as unknown as Promise<ObjectMetadata>
  metadata.set(key, asked)
  asked.catch(() => metadata.delete(key))
  return asked
}

/**
 * The objects that the user may see, by label. The description that the service gives of itself names them, and their
 * metadata has the labels.
 *
 * @throws RestClientError
 */
export function listObjects(): Promise<readonly ObjectInfo[]> {
  objects ??= readObjects().catch((failure: unknown) => {
    objects = undefined
    throw failure
  })
  return objects
}

async function readObjects(): Promise<readonly ObjectInfo[]> {
  const answer = await client.documentation({ output: 'openapi' })
  const { tags = [] } = (await answer.json()) as { tags?: readonly { readonly name: string }[] }
  const found = await Promise.all(tags.map(({ name }) => metadataOf(name, 'list')))
  return found
    .map(({ name, label, plurallabel, indexable }) => ({
      name,
      label: label || name,
      plural: plurallabel || label || name,
      isSystem: systemObjects.has(name),
      isIndexed: indexable,
    }))
    .toSorted((a, b) => a.plural.localeCompare(b.plural))
}

export function isReference({ ref, refObject }: FieldMetadata): boolean {
  return ref === null && refObject !== null
}

/** Label of a field; of one that comes with a reference: of both. */
export function labelOf(field: FieldMetadata, { fields }: Pick<ObjectMetadata, 'fields'>): string {
  const own = field.label || field.name
  if (field.ref === null) return own
  const reference = fields.find(({ name }) => name === field.ref)
  const others = fields.filter(({ ref }) => ref === field.ref)
  const label = reference?.label || field.ref
  return others.length > 1 ? `${label}: ${own}` : label
}

/** What a record is called: its functional key, else its first two texts. */
export function titleOf(record: Readonly<Record<string, unknown>>, { fields }: ObjectMetadata): string {
  const own = fields.filter(({ ref, visible }) => ref === null && visible)
  const texts = own.filter(({ type }) => type === 3)
  const chosen = own.some(({ key }) => key)
    ? [...own.filter(({ key }) => key), ...texts.filter(({ key }) => !key)]
    : texts
  const words = chosen.map(({ name }) => record[name]).filter((value) => typeof value === 'string' && value !== '')
  return words.slice(0, 2).join(' ') || String(record['row_id'])
}
