import type { FieldModel, ReadableField } from '../model/model.js'
import { isJoined } from '../model/model.js'
import type { Access } from '../rights/access.js'
import { isIgnored } from '../service/input.js'
import type { Schema } from './description.js'
import { answeredSchema, sentSchema } from './field-schemas.js'

/** Names of the schemas of an object; a point keeps them apart from those of other objects. */
export const schemaNames = {
  record: (object: string) => object,
  create: (object: string) => `${object}.create`,
  update: (object: string) => `${object}.update`,
} as const

/** A record as this user gets it. What is there without `_fields` and `_timestamps` is named by `x-default-fields`. */
export function recordSchema(access: Access): Schema {
  const { object, selection, selectionWithTimestamps } = access
  return {
    type: 'object',
    title: object.label,
    description: 'A record. With `_fields` only those that were asked for, with `_timestamps` also the last four.',
    properties: propertiesOf(selectionWithTimestamps.fields.map((field) => [field.name, answeredSchema(field)])),
    required: ['row_id'],
    ...(pathStarts(access).length > 0 && {
      patternProperties: { __: { description: 'A field of a linked object, by its path in `_fields`.' } },
    }),
    additionalProperties: false,
    'x-default-fields': selection.fields.map(({ name }) => name),
  }
}

/** The body of a create or update. */
export function bodySchema(access: Access, operation: 'create' | 'update'): Schema {
  const { object, hides } = access
  const isLocked = (field: FieldModel): boolean => access.locks(field, operation === 'create' ? 'C' : 'U')
  const known = [...object.readable.values()].filter((field) => !hides(field) || !(isJoined(field) || isLocked(field)))
  const needs = operation === 'create' ? neededFields(access) : []
  const required = needs.flatMap((names) => (names.length === 1 ? names : []))
  const chosen = needs.filter(({ length }) => length > 1)
  return {
    type: 'object',
    title: `${object.label}: ${operation}`,
    properties: propertiesOf(
      known.map((field) => [
        field.name,
        isJoined(field) || isLocked(field) || isIgnored(field, operation)
          ? { readOnly: true, description: 'Ignored.' }
          : sentSchema(field, operation),
      ]),
    ),
    ...(required.length > 0 && { required }),
    ...(chosen.length > 0 && {
      allOf: chosen.map((names) => ({ anyOf: names.map((name) => ({ required: [name] })) })),
    }),
    additionalProperties: false,
  }
}

/** What a creation must give: names of which one is enough, as a reference of several fields gives them their values. */
export function neededFields({ object, locks }: Access): string[][] {
  const canBeGiven = (field: FieldModel): boolean => !locks(field, 'C') && !isIgnored(field, 'create')
  const needed = [object.id, ...object.fields].filter(
    (field) =>
      field.required &&
      canBeGiven(field) &&
      field.type.empty !== false &&
      field.definition.default === undefined &&
      field !== object.state,
  )
  const givers = object.references.filter((reference) => reference.parts && canBeGiven(reference))
  return needed.map((field) => [field, ...givers.filter(({ parts }) => parts?.includes(field))].map(({ name }) => name))
}

function propertiesOf(entries: readonly (readonly [string, Schema])[]): Schema {
  return Object.fromEntries(entries)
}

/** Fields that the user may filter. */
export function filterableFields({ object, hides }: Access): ReadableField[] {
  return [...object.readable.values()].filter((field) => !hides(field) && (isJoined(field) || field.visible))
}

/** References that lead the user to fields that are not among these. */
export function pathStarts({ object, hides }: Access): string[] {
  return object.references.filter((field) => field.visible && !hides(field)).map(({ name }) => name)
}

/** Whether records can be written at all, as far as this user is concerned. */
export function mayWrite({ object, may }: Access, letter: 'C' | 'U' | 'D'): boolean {
  return !object.readOnly && may(letter)
}
