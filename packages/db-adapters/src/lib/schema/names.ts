import { createHash } from 'node:crypto'

/**
 * What indexes and foreign keys made by `sync` begin with. It marks them as ours: others are never dropped.
 * Not specified; chosen because no other tool uses it.
 */
const ownPrefix = 'stw_'

/** PostgreSQL keeps 63 bytes of a name, MySQL 64 characters. */
const longest = 63

export type OwnKind = keyof typeof kinds

const kinds = { view: 'view', key: 'key', unique: 'uq', index: 'ix', foreignKey: 'fk', words: 'ft' }

export function isOwnName(name: string): boolean {
  return name.toLowerCase().startsWith(ownPrefix)
}

/** The index that `sync` has made for a functional key. */
export function isOwnKey(name: string): boolean {
  return name.toLowerCase().startsWith(`${ownPrefix}${kinds.key}_`)
}

/** A name that follows from the table and the columns; a long one is cut and ends with a hash of the whole. */
export function ownName(kind: OwnKind, table: string, columns: readonly string[]): string {
  return shorten(`${ownPrefix}${kinds[kind]}_${table}_${columns.join('_')}`, longest)
}

/**
 * Gives names that differ from each other and from those that are taken, without regard to case. A name is taken after a
 * rename, for example: indexes keep the name that they got from the old table.
 */
export function nameGiver(taken: Iterable<string>): (name: string) => string {
  const used = new Set([...taken].map((name) => name.toLowerCase()))
  return (name) => {
    let free = name
    for (let n = 2; used.has(free.toLowerCase()); n += 1) free = `${shorten(name, longest - 1 - String(n).length)}_${n}`
    used.add(free.toLowerCase())
    return free
  }
}

function shorten(name: string, bytes: number): string {
  if (Buffer.byteLength(name) <= bytes) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8)
  let start = name
  while (Buffer.byteLength(start) > bytes - hash.length - 1) start = [...start].slice(0, -1).join('')
  return `${start}_${hash}`
}
