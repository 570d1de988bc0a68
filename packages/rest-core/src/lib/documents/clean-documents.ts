import type { Filter } from '../filter/filter.js'
import type { FieldModel, Model, ObjectModel } from '../model/model.js'
import type { ObjectStore } from '../store.js'
import { isInColumn } from './column-content.js'
import type { DocumentStore } from './document-store.js'

export interface CleanDocumentsOptions {
  readonly model: Model
  readonly store: ObjectStore
  readonly documents: DocumentStore
  /**
   * Documents younger than this are left alone, since the transaction that they belong to may still run. Default one day.
   * Not specified; chosen because no transaction takes that long.
   */
  readonly graceMs?: number
  /** Default: the system's clock. */
  readonly clock?: () => Date
  /** Stops it between two documents. */
  readonly signal?: AbortSignal
}

/** Held in memory at the same time; each batch reads all tables with documents once. */
const chunkSize = 50_000

/**
 * Removes documents that no record refers to, e.g. those of a request that was cut off by a crash, with their thumbnails,
 * and uploads that never ended. Only documents of fields that the model has are looked at: others may belong to another
 * application, or to a field that was taken out for now.
 *
 * @returns how many were removed.
 */
export async function cleanDocuments(options: CleanDocumentsOptions): Promise<number> {
  const { model, documents, graceMs = 24 * 3_600_000, clock = () => new Date(), signal } = options
  const fields = [...model.objects.values()].flatMap(storedFields)
  if (fields.length === 0) return 0
  const before = clock().getTime() - graceMs
  await documents.sweep?.(new Date(before))
  let removed = 0
  let chunk = new Set<string>()
  for await (const { id, storedAt } of documents.list()) {
    if (signal?.aborted) return removed
    if (storedAt >= before) continue
    chunk.add(id)
    if (chunk.size < chunkSize) continue
    removed += await removeOrphans(options, fields, chunk)
    chunk = new Set()
  }
  return removed + (await removeOrphans(options, fields, chunk))
}

async function removeOrphans(
  { store, documents, signal }: CleanDocumentsOptions,
  fields: readonly FieldModel[],
  ids: Set<string>,
): Promise<number> {
  if (ids.size === 0) return 0
  for (const { object } of new Map(fields.map((field) => [field.object, field])).values()) {
    const own = storedFields(object).map(({ name }) => name)
    const where: Filter = { op: 'or', terms: own.map((field) => ({ op: 'notNull', field })) }
    for await (const batch of store.search(object, { select: object.select(own), where, order: byId })) {
      if (signal?.aborted) return 0
      for (const record of batch) for (const name of own) ids.delete(record[name] as string)
    }
  }
  const known = new Set(fields.map(({ object, name }) => `${object.name}/${name}`))
  let removed = 0
  for (const id of ids) {
    if (signal?.aborted) break
    const info = await documents.info(id)
    if (info && !known.has(info.path)) continue
    // Once more: code of an application may have passed it on from a record that was read to one that was read before.
    if (info && (await isUsed(store, fields, id))) continue
    await documents.delete(id)
    removed++
  }
  return removed
}

function storedFields({ documents }: ObjectModel): readonly FieldModel[] {
  return documents.filter((field) => !isInColumn(field))
}

const byId = [{ field: 'row_id', descending: false }] as const

async function isUsed(store: ObjectStore, fields: readonly FieldModel[], id: string): Promise<boolean> {
  for (const { object, name } of fields)
    if ((await store.count(object, { op: '=', field: name, value: id })) > 0) return true
  return false
}
