import { createHash } from 'node:crypto'

/** SHA-256, hexadecimal. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
