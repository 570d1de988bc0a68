import type { SQLInputValue } from 'node:sqlite'
import type { Instance } from '../domain/instance.js'

/** Column of each property; `name_key` beside `name` makes names unique without regard to case. */
const columnOf = {
  id: 'id',
  name: 'name',
  version: 'version',
  versionDate: 'version_date',
  revision: 'revision',
  desired: 'desired',
  observed: 'observed',
  protected: 'protected',
  autoUpdate: 'auto_update',
  autoSave: 'auto_save',
  database: 'database',
  port: 'port',
  customUrl: 'custom_url',
  source: 'source',
  ownerEmail: 'owner_email',
  firstname: 'firstname',
  lastname: 'lastname',
  phone: 'phone',
  company: 'company',
  created: 'created',
  updated: 'updated',
  operation: 'operation',
} as const satisfies Record<keyof Instance, string>

const entries = Object.entries(columnOf) as [keyof Instance, string][]
const flags: ReadonlySet<string> = new Set(['protected', 'autoUpdate', 'autoSave'])

export const instanceColumns = Object.values(columnOf)

export function instanceFromRow(row: Record<string, unknown>): Instance {
  return Object.fromEntries(
    entries.map(([key, column]) => [key, flags.has(key) ? row[column] === 1 : row[column]]),
  ) as unknown as Instance
}

export function rowFromInstance(values: Partial<Instance>): Record<string, SQLInputValue> {
  const row: Record<string, SQLInputValue> = {}
  for (const [key, column] of entries) {
    const value = values[key]
    if (value !== undefined) row[column] = typeof value === 'boolean' ? Number(value) : value
  }
  if (values.name !== undefined) row.name_key = values.name.toLowerCase()
  return row
}
