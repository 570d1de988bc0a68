import type { FieldDefinition } from '../definition/definition.js'
import type { CustomTypes } from '../fields/custom-type.js'
import { checkField } from '../model/check-definitions.js'
import { checkDefault, createField } from '../model/create-field.js'
import type { FieldModel, ObjectModel } from '../model/model.js'
import type { ActionModel, Scope } from './action.js'

/** Names of actions, publications and pivot tables: they stand in addresses. */
const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/
const scopes: readonly Scope[] = ['record', 'global', 'both']
/** Not specified; chosen because a parameter comes in an address, and belongs to no record. */
const unsuited: ReadonlySet<FieldDefinition['type']> = new Set(['id', 'reference', 'document', 'image', 'password'])

/** The actions of an object by name; mistakes are added to `problems`. */
export function createActions(
  object: ObjectModel,
  types: CustomTypes,
  problems: string[],
): ReadonlyMap<string, ActionModel> {
  const actions = new Map<string, ActionModel>()
  for (const [name, definition] of Object.entries(object.definition.actions ?? {})) {
    const place = `${object.name}.actions.${name}`
    problems.push(...checkNamed(name, definition.scope).map((text) => `${place}: ${text}`))
    const parameters: FieldModel[] = []
    for (const [parameter, own] of Object.entries(definition.parameters ?? {})) {
      const found = checkParameter(parameter, own, types)
      problems.push(...found.map((text) => `${place}.parameters.${parameter}: ${text}`))
      if (found.length > 0) continue
      const field = createField(object, parameter, own, types)
      problems.push(...checkDefault(field, `${place}.parameters.${parameter}`))
      parameters.push(field)
    }
    const { label = name, scope = 'record' } = definition
    actions.set(name, { name, label, scope, parameters, definition })
  }
  return actions
}

/** What is wrong with the name and scope of an action or a publication. */
export function checkNamed(name: string, scope: Scope | undefined): string[] {
  const problems: string[] = []
  if (!namePattern.test(name))
    problems.push('a name has letters, digits, "_" and "-", starts with a letter and has at most 63 characters')
  if (scope !== undefined && !scopes.includes(scope))
    problems.push(`scope is "${scope}"; it must be one of ${scopes.join(', ')}`)
  return problems
}

function checkParameter(name: string, definition: FieldDefinition, types: CustomTypes): string[] {
  if (unsuited.has(definition.type)) return [`a parameter cannot be of type "${definition.type}"`]
  return checkField(name, definition, new Set(), types)
}
