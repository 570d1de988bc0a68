import type { FieldModel, ObjectModel, ReferenceModel } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'

/** One value of an exported record. */
export interface ExportColumn {
  /** A field, or `fk.field`. */
  readonly name: string
  /** Own field. */
  readonly field: FieldModel
  /** The fields to follow in the key of the linked record; empty for an own value. */
  readonly path: readonly FieldModel[]
}

/** Longest chain of references in functional keys. */
const longestPath = 8

/** Which columns an export has. */
export interface ColumnOptions {
  /** Also the technical fields. */
  readonly timestamps: boolean
  /** Fields that the user does not see. */
  readonly hidden: ReadonlySet<string> | undefined
}

/**
 * What an export holds of an object: all fields that may be read, references by the functional key of what they refer to,
 * or by row id where that has none. No passwords and no hidden fields.
 */
export function exportColumns(object: ObjectModel, { timestamps, hidden }: ColumnOptions): readonly ExportColumn[] {
  const own = object.key.length === 0 && object.id.definition.readOnly === false ? [object.id] : []
  const fields = [...own, ...object.fields.filter(({ visible }) => visible), ...(timestamps ? object.technical : [])]
  const shown = fields.filter(({ name }) => !hidden?.has(name))
  return shown.flatMap((field): ExportColumn[] =>
    isReference(field) && field.target.key.length > 0
      ? keyPaths(field.target, field.name).map((path) => ({
          name: [field, ...path].map(({ name }) => name).join('.'),
          field,
          path,
        }))
      : [{ name: field.name, field, path: [] }],
  )
}

function keyPaths(target: ObjectModel, name: string, depth = 1): FieldModel[][] {
  if (depth > longestPath)
    throw new RestError(
      'ERR_BAD_REQUEST',
      `"${name}" cannot be exported: functional keys refer to each other in a circle.`,
    )
  return target.key.flatMap((field) =>
    isReference(field) && field.target.key.length > 0
      ? keyPaths(field.target, name, depth + 1).map((path) => [field, ...path])
      : [[field]],
  )
}

export function isReference(field: FieldModel): field is ReferenceModel {
  return field.type.name === 'reference'
}
