import type { BusinessObjects, FieldModel, FieldValue, FilterTexts, ObjectModel, Principal } from '@steward/rest-core'
import { isEmpty, jsonText } from '@steward/rest-core'
import type { ExportColumn } from './export-columns.js'
import { exportColumns, isReference } from './export-columns.js'
import type { ImportAction } from './import-record.js'
import { createLinkedKeys } from './linked-keys.js'

export interface ExportOptions {
  /** Also created_dt, created_by, updated_dt, updated_by. Default false. */
  readonly timestamps?: boolean
  /** Only matching records, in the filter language. Default: all. */
  readonly filters?: FilterTexts
  /** A condition on several fields, which holds as well as `filters`. Default: none. */
  readonly expression?: string | undefined
  /** Aborted when the records are no longer wanted: the reading ends, and the export fails. */
  readonly signal?: AbortSignal
}

/** The records of one object, as they are written to a file. */
export interface ObjectExport {
  readonly object: ObjectModel
  readonly columns: readonly ExportColumn[]
  /** Values in the order of the columns; in place of a document `StoredDocument`, or `''`. */
  readonly rows: AsyncIterable<readonly ExportRow[]>
}

export type ExportRow = readonly (FieldValue | StoredDocument)[]

/** A document that a record has. */
export class StoredDocument {
  readonly rowId: string
  readonly field: FieldModel
  readonly id: string

  constructor(rowId: string, field: FieldModel, id: string) {
    this.rowId = rowId
    this.field = field
    this.id = id
  }
}

/**
 * Reads the records of an object in the order in which they were created, streamed.
 *
 * @throws RestError ERR_BAD_REQUEST for a wrong filter, before any row
 */
export async function exportRecords(
  service: BusinessObjects,
  principal: Principal,
  object: ObjectModel,
  { timestamps = false, filters, expression, signal }: ExportOptions = {},
): Promise<ObjectExport> {
  const columns = exportColumns(object, { timestamps, hidden: principal.rights.object(object.name)?.hidden })
  const batches = await service.search(principal, object.name, {
    fields: [...new Set(columns.map(({ field }) => field.name))],
    filters,
    expression,
    order: [{ field: 'row_id', descending: false }],
    signal,
  })
  const keys = createLinkedKeys(service, principal, signal)
  const linked = columns.filter(({ path }) => path.length > 0)
  return { object, columns, rows: rows() }

  async function* rows(): AsyncGenerator<readonly ExportRow[]> {
    for await (const batch of batches) {
      for (const field of new Set(linked.map((column) => column.field))) {
        if (isReference(field))
          await keys.load(
            field.target,
            batch.map((record) => record[field.name] as string),
          )
      }
      yield batch.map((record) => columns.map((column) => valueOf(column, record.row_id, record[column.field.name])))
    }
  }

  function valueOf({ field, path }: ExportColumn, rowId: string, value: FieldValue = ''): FieldValue | StoredDocument {
    if (path.length > 0 && isReference(field)) return keys.value(field.target, value as string, path)
    if (object.documents.includes(field) && !isEmpty(value)) return new StoredDocument(rowId, field, value as string)
    return value
  }
}

/** A value as text, for files that hold nothing else; reading it gives the value again. */
export function textOf(value: FieldValue, { type }: FieldModel): string {
  if (value === null) return ''
  if (type.name === 'object') return jsonText(value)
  return Array.isArray(value) ? value.join(';') : String(value)
}

/** The field whose value stands in a column. */
export function valueField({ field, path }: ExportColumn): FieldModel {
  return path.at(-1) ?? field
}

/** Records without a functional key cannot be found again. */
export function actionOf({ key, id }: ObjectModel): ImportAction {
  return key.length > 0 || id.definition.readOnly === false ? 'upsert' : 'insert'
}
