import type { FieldValue } from '@steward/rest-core'
import type { Present } from './dialect.js'

/** A text; of bytes, which SQLite keeps in columns of texts as well, their digits as SQL writes them: `x'00FF'`. */
export function readTextOrBytes(value: Present): FieldValue {
  return ArrayBuffer.isView(value)
    ? `x'${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex').toUpperCase()}'`
    : String(value)
}
