import type { Introspection, IntrospectOptions, ObjectDefinition, ObjectStore } from '@steward/rest-core'
import { DefinitionError } from '@steward/rest-core/errors'
import { systemObjects } from '@steward/rest-core/system'
import type { Logger } from 'pino'

const systemNames = new Set(systemObjects.map(({ name }) => name.toLowerCase()))

/** Tables and views without a definition, with names that no object of the system has. */
export async function readDatabase(store: ObjectStore, options: IntrospectOptions): Promise<Required<Introspection>> {
  const { objects, skipped, notes = [] } = await store.introspect(options)
  const renamed = new Map(objects.filter(isTaken).map(({ name }) => [name, `Db${name}`]))
  return { objects: objects.map((object) => rename(object, renamed)), skipped, notes }
}

/**
 * Definitions of the tables of a database that has none yet. What cannot be served is logged with its reason, and what
 * was assumed with how to change it.
 *
 * @throws DefinitionError when there is nothing to serve.
 */
export async function describeDatabase(
  store: ObjectStore,
  logger: Logger,
  options: IntrospectOptions = {},
): Promise<ObjectDefinition[]> {
  const { objects, skipped, notes } = await readDatabase(store, options)
  for (const each of skipped) logger.warn(skippedText(each))
  for (const { table, text } of notes) logger.warn(`Table ${table}: ${text}`)
  if (objects.length === 0) throw new DefinitionError(['The database has no table that can be served.'])
  logger.info(`Tables served: ${objects.map(({ name, table }) => `${table} as ${name}`).join(', ')}`)
  const fixed = objects.filter(({ readOnly }) => readOnly === true).map(({ name }) => name)
  if (fixed.length > 0) logger.info(`Served read-only: ${fixed.join(', ')}`)
  const shown = displayText(objects)
  if (shown !== '')
    logger.info(`References show: ${shown} ("display" in definitions changes that; --describe writes definitions)`)
  return [...objects]
}

export function skippedText({ table, column, reason }: Introspection['skipped'][number]): string {
  return `${column === undefined ? `Table ${table}` : `Column ${table}.${column}`} is left out: ${reason}`
}

/** What references to each object show, e.g. `Customers by name`. */
function displayText(objects: readonly ObjectDefinition[]): string {
  const references = objects.flatMap(({ fields }) =>
    Object.values(fields).filter((field) => field.type === 'reference'),
  )
  const shown = new Map(references.map(({ object, display = [] }) => [object, display]))
  return [...shown]
    .map(([object, display]) => `${object} by ${display.length > 0 ? display.join(' and ') : 'row id'}`)
    .join(', ')
}

/** A table called `user` must not hide the users of the service. */
function isTaken({ name }: ObjectDefinition): boolean {
  return systemNames.has(name.toLowerCase())
}

function rename(object: ObjectDefinition, renamed: ReadonlyMap<string, string>): ObjectDefinition {
  const fields = Object.fromEntries(
    Object.entries(object.fields).map(([name, field]) => {
      return [
        name,
        field.type === 'reference' ? { ...field, object: renamed.get(field.object) ?? field.object } : field,
      ]
    }),
  )
  return { ...object, name: renamed.get(object.name) ?? object.name, table: object.table ?? object.name, fields }
}
