import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from '../backup/backup.js'
import { manifestName, manifestText } from '../backup/manifest.js'
import { stampOf } from '../backup/new-backup.js'
import { randomId } from '../domain/names.js'
import { testInstance } from './made-up-operation.js'

/** A backup of nothing, where age and name are the point. @returns its folder */
export function writeBackupOfNothing(saveFolder: string, name: string, made: Date): string {
  const id = `${stampOf(made)}-1.0-${randomId()}`
  const at = made.toISOString()
  const {
    observed: _observed,
    operation: _operation,
    port: _port,
    proved: _proved,
    ...instance
  } = testInstance({ name })
  const manifest: Manifest = {
    format: 1,
    id,
    instance,
    database: { type: 'sqlite', server: 'SQLite', rows: {} },
    started: at,
    finished: at,
    consistency: 'stopped',
    files: [],
    tools: {},
    warnings: [],
  }
  const folder = join(saveFolder, name, id)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, manifestName), manifestText(manifest))
  return folder
}
