import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from '../backup/backup.js'
import { manifestName, manifestText } from '../backup/manifest.js'
import { stampOf } from '../backup/new-backup.js'
import { randomId } from '../domain/names.js'
import { testInstance } from './made-up-operation.js'

/**
 * A backup of nothing, where age and name are the point, or with files of these contents, which are no archives.
 *
 * @param owner id of the instance
 * @returns its folder
 */
export function writeBackupOfNothing(
  saveFolder: string,
  name: string,
  made: Date,
  contents: Readonly<Record<string, Uint8Array>> = {},
  owner = `i${name.toLowerCase()}`,
): string {
  const id = `${stampOf(made)}-1.0-${randomId()}`
  const at = made.toISOString()
  const {
    observed: _observed,
    operation: _operation,
    port: _port,
    proved: _proved,
    ...instance
  } = testInstance({ id: owner, name })
  const files = Object.entries(contents).map(([file, bytes]) => {
    const [size, sha256] = [bytes.length, createHash('sha256').update(bytes).digest('hex')]
    return { name: file, size, sha256, plainSize: size, plainSha256: sha256 }
  })
  const manifest: Manifest = {
    format: 1,
    id,
    instance,
    database: { type: 'sqlite', server: 'SQLite', rows: {} },
    started: at,
    finished: at,
    consistency: 'stopped',
    files,
    tools: {},
    warnings: [],
  }
  const folder = join(saveFolder, name, id)
  mkdirSync(folder, { recursive: true })
  for (const [file, bytes] of Object.entries(contents)) writeFileSync(join(folder, file), bytes)
  writeFileSync(join(folder, manifestName), manifestText(manifest))
  return folder
}
