import type { DocumentField, ImageField } from '../definition/definition.js'
import type { FieldModel } from '../model/model.js'

const defaultMaxBytes = { document: 100 * 2 ** 20, image: 20 * 2 ** 20 } as const
/** Such contents are in memory as a whole. Not specified; chosen as what databases take without being set up for more. */
const mostInColumn = 16 * 2 ** 20

/** Most bytes of a document in a field. */
export function mostBytes({ definition, columnType }: FieldModel): number {
  const { type, maxBytes = columnType.kind === 'bytes' ? mostInColumn : defaultMaxBytes[type] } = definition as
    | DocumentField
    | ImageField
  return maxBytes
}
