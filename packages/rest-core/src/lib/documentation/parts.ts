import type { Access } from '../rights/access.js'
import { jsonContent } from './answers.js'
import { reference } from './description.js'
import type { AnswerDescription, BodyDescription, Content, ParameterDescription } from './description.js'
import { code } from './markdown-text.js'
import { neededFields, schemaNames } from './object-schemas.js'
import type { Route } from './service-interface.js'

/** What an operation does on an object, besides its address and its general parameters. */
export interface OperationContents {
  /** Ends the id: `obj-<object>-<id>`. */
  readonly id: string
  readonly summary: string
  readonly text?: string
  readonly parameters?: readonly ParameterDescription[]
  /** It takes the filters of the object. */
  readonly filtered?: boolean
  readonly body?: BodyDescription
  readonly answers: readonly AnswerDescription[]
  /** In place of `{name}` in the path, and of the parameter that its address stands for. */
  readonly named?: string
}

/**
 * What an operation is on an object for this user: nothing when it may not be called; one for each that has a name.
 *
 * @param has Whether the level has a parameter.
 */
export type Describe = (
  access: Access,
  route: Route,
  has: (parameter: string) => boolean,
) => OperationContents | readonly OperationContents[] | undefined

/** A functional key names a record where the object has one, all of which the user may see. */
export function hasKey({ object, hides }: Access): boolean {
  return object.key.length > 0 && !object.key.some((field) => hides(field) || !field.visible)
}

/** How an operation on one record is called that names it by its row id or by its key. */
export function byKey(path: string): { id: string; what: string } {
  return path.includes('{key}') ? { id: '-by-key', what: ' by its functional key' } : { id: '', what: '' }
}

export function recordContent({ object }: Access): Content {
  return jsonContent(reference(schemaNames.record(object.name)))
}

export function bodyOf(access: Access, operation: 'create' | 'update'): BodyDescription {
  const needs = operation === 'create' ? neededFields(access) : []
  const needed = needs.map((names) => names.map(code).join(' or '))
  return {
    required: needed.length > 0,
    text: `Values by field name.${needed.length > 0 ? ` Required: ${needed.join(', ')}.` : ''}`,
    content: jsonContent(reference(schemaNames[operation](access.object.name))),
  }
}

export function headerParameter(name: string, text: string): ParameterDescription {
  return { name, in: 'header', required: false, text, schema: { type: 'string' } }
}

/** Only where the service keeps answers. */
export const idempotencyKey: ParameterDescription = {
  ...headerParameter(
    'Idempotency-Key',
    'A random text. A repeated request with the same key gets the first answer and is not done again. Kept for a ' +
      'day.',
  ),
  schema: { type: 'string', pattern: String.raw`^[\x21-\x7e]{1,255}$` },
}

/** For administrators. */
export function viewAsParameter(name: string): ParameterDescription {
  const text = 'Login of another user, percent-encoded: answers what that user may read.'
  return { ...headerParameter(name, text), shared: `rest.${name}` }
}

export const ifMatch = headerParameter('If-Match', 'Expected tag of the record; 412 if it has changed.')
