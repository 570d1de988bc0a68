import type { FieldValue } from '../fields/field-value.js'
import { baseField } from '../model/model.js'
import type { BusinessRecord, ObjectModel, ReadableField, ReferenceModel } from '../model/model.js'

/**
 * The value of a field that may be reached through references, found by following them through all records.
 *
 * @param sees Whether the reader sees the record that these references lead to. Default: every record.
 */
export function valueBehind(
  data: ReadonlyMap<ObjectModel, readonly BusinessRecord[]>,
  record: BusinessRecord,
  field: ReadableField,
  sees: (path: readonly ReferenceModel[], linked: BusinessRecord) => boolean = () => true,
): FieldValue {
  let at: BusinessRecord | undefined = record
  for (const [end, { name, target }] of field.path.entries()) {
    const id: unknown = at?.[name]
    at = data.get(target)?.find((each) => each.row_id === id)
    if (at && !sees(field.path.slice(0, end + 1), at)) at = undefined
  }
  return at?.[baseField(field).name] ?? field.type.empty
}
