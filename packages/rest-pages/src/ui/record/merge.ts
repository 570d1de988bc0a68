import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { isSame, toDrafts, type Values } from './draft.js'

/** A record as the service answers it. */
export interface SavedRecord {
  /** Metadata of this record, in the context in which it is written. */
  readonly metadata: ObjectMetadata
  readonly record: Values
  /** Empty: it is a new one. */
  readonly etag: string
}

/** What a form holds. */
export interface FormState extends SavedRecord {
  /** What its controls held before something was typed. */
  readonly base: Values
  readonly draft: Values
}

/** Fields that the user may write in this context. */
export function writtenFields({ fields, update, create, rowidfield }: ObjectMetadata, isNew: boolean): FieldMetadata[] {
  if (!(isNew ? create : update)) return []
  return fields.filter(({ ref, name, updatable }) => ref === null && name !== rowidfield && updatable)
}

/** Fields that both have changed, and not to the same. */
export function bothChanged(
  fields: readonly FieldMetadata[],
  { base, draft }: Pick<FormState, 'base' | 'draft'>,
  theirs: Values,
): FieldMetadata[] {
  return fields.filter(
    ({ name }) =>
      !isSame(base[name], draft[name]) && !isSame(base[name], theirs[name]) && !isSame(draft[name], theirs[name]),
  )
}

/**
 * Takes over what others saved, but in fields in which something was typed. The entity tag stays that of before as long as
 * both changed a field: to save asks then which value is to be kept.
 */
export function mergeSaved(now: FormState, latest: SavedRecord): FormState {
  const fields = writtenFields(latest.metadata, false)
  const theirs = toDrafts(fields, latest.record)
  const both = bothChanged(fields, now, theirs)
  const isTyped = (name: string) => name in now.draft && !isSame(now.base[name], now.draft[name])
  return {
    metadata: latest.metadata,
    record: latest.record,
    etag: both.length === 0 ? latest.etag : now.etag,
    base: { ...theirs, ...Object.fromEntries(both.map(({ name }) => [name, now.base[name]])) },
    draft: Object.fromEntries(fields.map(({ name }) => [name, isTyped(name) ? now.draft[name] : theirs[name]])),
  }
}
