import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'

/** Changes with the file; nothing of its content is in it. */
export function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true })
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` : ''
}

/** A stamp that says nothing about the machine, for callers who read the file: 16 hexadecimal digits. */
export function fingerprintOf(file: string): string {
  return createHash('sha256').update(stampOf(file)).digest('hex').slice(0, 16)
}
