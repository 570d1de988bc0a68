import { join } from 'node:path'
import { createModel, missingPublicationPackages } from '@steward/rest-core'
import type { Model, ObjectDefinition } from '@steward/rest-core'
import { DefinitionError } from '@steward/rest-core/errors'
import { systemObjects, User } from '@steward/rest-core/system'
import type { AppDefinition } from './app-definition.js'
import { loadObjects } from './load-objects.js'
import { loadFieldTypes } from './plugins.js'

/**
 * The model of an application: its objects and those of every application.
 *
 * @param objects Default: those in its folder.
 * @throws DefinitionError with all mistakes.
 */
export async function loadModel(
  folder: string,
  definition: AppDefinition,
  objects?: readonly ObjectDefinition[],
): Promise<Model> {
  const fieldTypes = await loadFieldTypes(folder, definition.fieldTypes ?? [])
  const own = objects ?? (await loadObjects(join(folder, 'objects')))
  return createModel([...systemObjectsOf(definition), ...own], { fieldTypes })
}

/** The model of an application that is to be served. @throws DefinitionError also when a package of its publications is missing. */
export async function loadServedModel(...application: Parameters<typeof loadModel>): Promise<Model> {
  const model = await loadModel(...application)
  const missing = missingPublicationPackages(model)
  if (missing.length > 0) throw new DefinitionError(missing)
  return model
}

/** With the application's rule for passwords. */
function systemObjectsOf({ minPasswordLength }: AppDefinition): ObjectDefinition[] {
  if (minPasswordLength === undefined) return [...systemObjects]
  const password = { ...User.fields.usr_password, minLength: minPasswordLength }
  const user = { ...User, fields: { ...User.fields, usr_password: password } }
  return systemObjects.map((object) => (object === User ? user : object))
}
