import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

/** A row of the history as it is stored. */
export type HistoryRow = Readonly<Record<string, string | number>>

/** What the hash of an entry is about, in this order for ever. */
const hashed = [
  'id',
  'at',
  'actor',
  'surface',
  'action',
  'instance_id',
  'instance',
  'parameters',
  'result',
  'message',
  'operation',
  'duration',
  'address',
]

/** Covers an entry and all before it: SHA-256, hexadecimal. */
export function chainHash(previous: string, row: HistoryRow): string {
  return createHash('sha256')
    .update(JSON.stringify([previous, ...hashed.map((column) => row[column])]))
    .digest('hex')
}

/** Gives the entry that was just inserted its hash; inside the transaction that inserted it. */
export function seal(database: DatabaseSync, id: number | bigint): void {
  const before = database.prepare('select hash from history where id < ? order by id desc limit 1').get(id)
  const row = database.prepare('select * from history where id = ?').get(id) as HistoryRow
  database.prepare('update history set hash = ? where id = ?').run(chainHash(String(before?.['hash'] ?? ''), row), id)
}
