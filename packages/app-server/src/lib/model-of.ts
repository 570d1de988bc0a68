import { createModel, missingPublicationPackages } from '@steward/rest-core'
import type { Model, ObjectDefinition } from '@steward/rest-core'
import { DefinitionError } from '@steward/rest-core/errors'
import { systemObjects, User } from '@steward/rest-core/system'
import type { AppDefinition } from './app-definition.js'

/**
 * The model of an application: its objects and those of every application.
 *
 * @throws DefinitionError with all mistakes, also when a package is missing that its publications need.
 */
export function modelOf(definition: AppDefinition, objects: readonly ObjectDefinition[]): Model {
  const model = createModel([...systemObjectsOf(definition), ...objects])
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
