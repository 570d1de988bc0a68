import { createHash } from 'node:crypto'
import type { FieldModel, Model, ObjectModel } from '@steward/rest-core'
import type { AppDefinition } from './app-definition.js'
import { platformVersion } from './version.js'

/**
 * Distinguishes data models: copies of the application with the same one may serve a database side by side, as none of
 * them changes it when it starts. Texts for people and code are left out; the set-up, the version of the server and the
 * names of migrations are in it, because they may write when they see a database first.
 */
export function modelDigest(
  model: Model,
  { setup = '', documents = '' }: AppDefinition,
  migrations: readonly string[] = [],
): string {
  const objects = [...model.objects.values()].map(shapeOf).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return createHash('sha256')
    .update(
      JSON.stringify([platformVersion, setup, documents, objects, ...(migrations.length > 0 ? [migrations] : [])]),
    )
    .digest('hex')
    .slice(0, 32)
}

function shapeOf({ name, table, definition, id, fields, technical, key, index }: ObjectModel) {
  const { renamedFrom, view, states, audit, events } = definition
  return {
    name,
    table,
    renamedFrom,
    view,
    states,
    audit,
    events,
    key: key.map((field) => field.name),
    words: index?.fields.map((field) => field.name),
    fields: [id, ...fields, ...technical].map(fieldShapeOf).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

function fieldShapeOf({ name, column, columnType, type, codes, indexed, unique, definition }: FieldModel) {
  const { label: _label, help: _help, area: _area, hidden: _hidden, ...rest } = definition
  const {
    display: _display,
    values: _values,
    ...rules
  } = rest as typeof rest & {
    readonly display?: unknown
    readonly values?: unknown
  }
  return { name, column, columnType, type: type.name, codes: codes && [...codes.keys()], indexed, unique, rules }
}
