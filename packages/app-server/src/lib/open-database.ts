import { existsSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { createStore } from '@steward/db-adapters'
import type { ObjectStore } from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import type { AppDefinition } from './app-definition.js'
import { createRoutedStore } from './routed-store.js'
import type { Settings } from './settings.js'

export interface DatabaseOptions {
  readonly folder: string
  readonly definition: AppDefinition
  readonly settings: Settings
  readonly dataFolder: string
  /** The database belongs to another owner: nothing is added to it. */
  readonly introspect: boolean
  /** It is only read; one that does not exist yet is taken for empty, and is not made. Default false. */
  readonly readOnly?: boolean
  /** Most connections to a database server. Default: that of the store. */
  readonly connections?: number
}

const systemNames = new Set<string>(systemObjects.map(({ name }) => name))

/** The store of an application: its database, and for another owner's database a second one beside it for the system objects. */
export async function openDatabase({
  folder,
  definition,
  settings,
  dataFolder,
  introspect,
  readOnly = false,
  connections,
}: DatabaseOptions): Promise<ObjectStore> {
  const named = settings.database ?? definition.database ?? `sqlite:${join(dataFolder, `${definition.name}.db`)}`
  const url = resolveDatabase(named, folder)
  const [, file] = /^(?:sqlite|file):(?:\/\/)?([^:].*)$/i.exec(url) ?? []
  if (readOnly && file !== undefined && !existsSync(file)) return createStore('sqlite::memory:')
  const { statementTimeoutSeconds } = definition
  const { synchronous = definition.synchronous ?? 'normal' } = settings
  const data = await createStore({
    url,
    synchronous,
    ...(readOnly && file !== undefined && { readOnly }),
    ...(connections !== undefined && !/^(?:sqlite|file):/i.test(url) && { pool: { max: connections } }),
    ...(statementTimeoutSeconds !== undefined && { statementTimeoutMs: statementTimeoutSeconds * 1000 }),
  })
  if (!introspect) return data
  const system = await createStore({ url: `sqlite:${join(dataFolder, 'system.db')}`, synchronous })
  return createRoutedStore({ data, system, isSystem: ({ name }) => systemNames.has(name) })
}

/** Whether a text is the URL of a database rather than the path of a folder. */
export function isDatabaseUrl(text: string): boolean {
  return /^(?:sqlite|file|postgres|postgresql|mysql|mariadb|mssql|sqlserver|oracle):/i.test(text)
}

/** Whether a database lives in one process only, and ends with it. */
export function isInMemory(url: string | undefined): boolean {
  return url === 'sqlite::memory:'
}

/** A relative SQLite file starts at the application's folder, wherever the program was started. */
export function resolveDatabase(url: string, folder: string): string {
  const [, file] = /^sqlite:(?!\/\/)(.+)$/.exec(url) ?? []
  if (file === undefined || file === ':memory:' || isAbsolute(file)) return url
  return `sqlite:${resolve(folder, file)}`
}
