import { isSystemObject } from '@steward/page-kit/system-objects'
import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { client } from './session.js'
import { viewAs } from './view-as.js'

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

let metadata = new Map<string, Promise<ObjectMetadata>>()
let description: Promise<Description> | undefined

interface Description {
  readonly objects: readonly ObjectInfo[]
  readonly offersView: boolean
}

/** Another user sees other things. */
export function forget(): void {
  metadata = new Map()
  description = undefined
}

viewAs.subscribe(forget)

/** The structure of an object, as the user may see it. It is asked for once. @throws RestClientError */
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
export async function listObjects(): Promise<readonly ObjectInfo[]> {
  return (await describe()).objects
}

/** Whether this user may see what another one sees. @throws RestClientError */
export async function offersView(): Promise<boolean> {
  return (await describe()).offersView
}

function describe(): Promise<Description> {
  description ??= readDescription().catch((failure: unknown) => {
    description = undefined
    throw failure
  })
  return description
}

async function readDescription(): Promise<Description> {
  const answer = await client.documentation({ output: 'openapi' })
  const { tags = [], components } = (await answer.json()) as {
    readonly tags?: readonly { readonly name: string }[]
    readonly components?: { readonly parameters?: object }
  }
  const found = await Promise.all(tags.map(({ name }) => metadataOf(name, 'list')))
  const objects = found
    .map(({ name, label, plurallabel, indexable }) => ({
      name,
      label: label || name,
      plural: plurallabel || label || name,
      isSystem: isSystemObject(name),
      isIndexed: indexable,
    }))
    .toSorted((a, b) => a.plural.localeCompare(b.plural))
  return { objects, offersView: 'rest.X-View-As' in (components?.parameters ?? {}) }
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
