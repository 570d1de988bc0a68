import { RestError, StoreError } from '../../errors.js'
import { isInColumn } from '../documents/column-content.js'
import type { JsonValue } from '../fields/field-value.js'
import { jsonText } from '../fields/json-text.js'
import { tableObjects, type Model, type ObjectModel, type Selection } from '../model/model.js'
import type { ObjectStore, SnapshotSession } from '../store.js'
import { formatName, formatVersion } from './format.js'
import type { DumpedApplication, DumpEnd, DumpHeader, ObjectHeader, PortableOptions } from './format.js'

/** Where a dump is written to; resolves when more may come. */
export type WriteText = (text: string) => Promise<void>

export interface DumpRecordsOptions extends PortableOptions {
  readonly model: Model
  readonly store: ObjectStore
  readonly application: DumpedApplication
  /** Default: now. */
  readonly clock?: () => Date
}

/**
 * Writes all records of a model as lines of JSON that `loadRecords` takes, whatever the database: everything that the
 * columns of the model hold, hashes of passwords too. All as they are at one moment, while others write. Memory stays flat.
 *
 * @returns rows by object
 * @throws StoreError `internal` when the store has no snapshots
 */
export async function dumpRecords(
  { model, store, application, clock = () => new Date(), onProgress }: DumpRecordsOptions,
  write: WriteText,
): Promise<Readonly<Record<string, number>>> {
  if (!store.snapshot)
    throw new StoreError('internal', `Records of a store of type "${store.capabilities.name}" cannot be dumped.`)
  for (const { name, documents } of tableObjects(model)) {
    const field = documents.find(isInColumn)
    if (field)
      throw new RestError(
        'ERR_BAD_REQUEST',
        `The documents of "${name}.${field.name}" are in the database itself (storage "column"), and a dump of records holds none. Dump the database by its own tools.`,
      )
  }
  return store.snapshot(async (session) => {
    const header: DumpHeader = {
      format: formatName,
      version: formatVersion,
      application,
      created: clock().toISOString(),
    }
    await write(line(header))
    const counts: Record<string, number> = {}
    for (const object of tableObjects(model)) counts[object.name] = await dumpObject(object, session)
    await write(line({ end: counts } satisfies DumpEnd))
    return counts
  })

  async function dumpObject(object: ObjectModel, session: SnapshotSession): Promise<number> {
    const select = storedFields(object)
    const names = select.fields.map(({ name }) => name)
    await write(line({ object: object.name, fields: names } satisfies ObjectHeader))
    let rows = 0
    const order = [{ field: 'row_id', descending: false }]
    for await (const batch of session.search(object, { select, order })) {
      await write(batch.map((record) => row(names.map((name) => record[name] as JsonValue))).join(''))
      rows += batch.length
      onProgress?.(object.name, rows)
    }
    return rows
  }
}

/** Everything that a row holds, but for the words of its index, which follow from the rest. */
export function storedFields(object: ObjectModel): Selection {
  const fields = [...object.fields, ...object.technical].filter(({ column }) => column !== object.id.column)
  return object.select(fields.map(({ name }) => name))
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

/** Numbers in JSON of the application keep their digits. */
function row(values: readonly JsonValue[]): string {
  return `[${values.map((value) => jsonText(value)).join(',')}]\n`
}
