import type { ObjectDefinition, ObjectStore } from '@steward/rest-core'
import { DefinitionError } from '@steward/rest-core/errors'
import { systemObjects } from '@steward/rest-core/system'
import type { Logger } from 'pino'

const systemNames = new Set(systemObjects.map(({ name }) => name.toLowerCase()))

/**
 * Definitions of the tables of a database that nobody described. What cannot be served is logged with its reason.
 *
 * @throws DefinitionError when there is nothing to serve.
 */
export async function describeDatabase(store: ObjectStore, logger: Logger): Promise<ObjectDefinition[]> {
  const { objects, skipped } = await store.introspect()
  for (const { table, column, reason } of skipped) {
    logger.warn(`${column === undefined ? `Table ${table}` : `Column ${table}.${column}`} is left out: ${reason}`)
  }
  if (objects.length === 0) throw new DefinitionError(['The database has no table that can be served.'])
  const renamed = new Map(objects.filter(isTaken).map(({ name }) => [name, `Db${name}`]))
  const definitions = objects.map((object) => rename(object, renamed))
  logger.info(`Tables served: ${definitions.map(({ name, table }) => `${table} as ${name}`).join(', ')}`)
  return definitions
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
