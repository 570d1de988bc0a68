import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Input } from '../../domain/input.js'
import { manifestName } from '../../backup/manifest.js'
import type { Snapshot } from '../snapshot.js'

/** What is recorded beside a home, in `expected.json`. */
export interface RecordedHome {
  /** When the last command ended, ISO 8601. */
  readonly at: string
  readonly killed: readonly KilledCommand[]
  /** The home after their recovery, without what differs from run to run. */
  readonly alike: Snapshot
  /** The home after their recovery, byte by byte, without what recovery finishes. */
  readonly exact: Snapshot
  /** A valid token; the home has only its hash. */
  readonly token: string
  /** `<id>:<hash>` of the newest entry of the history. */
  readonly head: string
}

/** A command that was killed, about an instance of its own. */
export interface KilledCommand {
  readonly action: string
  readonly input: Readonly<Record<string, Input>>
  /** What recovery does with it. */
  readonly end: 'rolled_back' | 'succeeded'
}

/** Where homes are recorded, with `home`, `template` and `shelf`, a target of backups. */
export const recordedFolder = '/tmp/steward-recorded-home'
export const recordedPorts = { first: 64_300, range: '64300-64399' } as const

/** Moves a home that was unpacked into this folder to it, and to the ports from this one on. */
export function relocate(folder: string, firstPort: number): void {
  const moved = (port: string) => String(Number(port) - recordedPorts.first + firstPort)
  rewrite(folder, (text) => text.replaceAll(recordedFolder, folder).replaceAll(/\b643\d\d\b/g, moved))
}

/** Rewrites all texts of a home, also those of databases; not the history, whose hashes would not match any more. */
export function rewrite(folder: string, change: (text: string) => string): void {
  for (const file of globSync('**/{*,.*}', { cwd: folder, withFileTypes: true })) {
    // Those beside a database go when it is closed; a manifest has a hash of itself.
    if (!file.isFile() || /\.db-(wal|shm)$/.test(file.name) || file.name === manifestName) continue
    const path = join(file.parentPath, file.name)
    const content = readFileSync(path)
    if (content.subarray(0, 15).toString() === 'SQLite format 3') rewriteDatabase(path, change)
    else if (!content.includes(0)) {
      const text = content.toString()
      const changed = change(text)
      if (changed !== text) writeFileSync(path, changed)
    }
  }
}

function rewriteDatabase(file: string, change: (text: string) => string): void {
  const database = new DatabaseSync(file)
  database.function('change', (value) =>
    typeof value === 'number' ? Number(change(String(value))) : change(String(value)),
  )
  const tables = database
    .prepare(`select name from sqlite_schema where type = 'table' and name not in ('history', 'sqlite_sequence')`)
    .all()
    .map(({ name }) => String(name))
  // Triggers count changes, and this is none.
  const changes = tables.includes('registry') && database.prepare('select changes from registry').get()?.['changes']
  for (const table of tables)
    for (const { name, type } of database.prepare('select name, type from pragma_table_info(?)').all(table)) {
      const column = `"${String(name)}"`
      if (String(type).toLowerCase() === 'text' || name === 'port')
        database.exec(`update "${table}" set ${column} = change(${column}) where ${column} <> change(${column})`)
    }
  if (changes) database.prepare('update registry set changes = ?').run(changes)
  // What was there before is in no free page.
  database.exec('vacuum')
  database.close()
}
