import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import type { DatabaseType, Desired, Instance, Observed } from '../domain/instance.js'

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
  proved: 'proved',
  installedVersion: 'installed_version',
  heldRevision: 'held_revision',
  runtime: 'runtime',
  host: 'host',
} as const satisfies Record<keyof Instance, string>

const entries = Object.entries(columnOf) as [keyof Instance, string][]

export const instanceColumns = Object.values(columnOf)

/** Takes the values of `instanceColumns`, in their order. There may be thousands, so they are not looked up by name. */
export function instanceFromValues(values: readonly SQLOutputValue[]): Instance {
  const text = (at: number) => values[at] as string
  return {
    id: text(0),
    name: text(1),
    version: text(2),
    versionDate: text(3),
    revision: text(4),
    desired: values[5] as Desired,
    observed: values[6] as Observed,
    protected: values[7] === 1,
    autoUpdate: values[8] === 1,
    autoSave: values[9] === 1,
    database: values[10] as DatabaseType,
    port: values[11] as number,
    customUrl: text(12),
    source: text(13),
    ownerEmail: text(14),
    firstname: text(15),
    lastname: text(16),
    phone: text(17),
    company: text(18),
    created: text(19),
    updated: text(20),
    operation: text(21),
    proved: text(22),
    installedVersion: text(23),
    heldRevision: text(24),
    runtime: text(25),
    host: text(26),
  }
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
