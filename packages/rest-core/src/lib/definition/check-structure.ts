import type { ErrorObject } from 'ajv/dist/2020.js'
import validate from '#object-validator'
import type { ActionDefinition } from '../actions/action.js'
import type { ObjectHooks } from '../service/hooks.js'
import type { ObjectDefinition } from './definition.js'
import { nearMiss } from './near-miss.js'
import { readSchemaErrors, type SchemaMistake } from './schema-errors.js'

/** What is wrong with the structure of a definition: with its keys, and with the types of their values. */
export interface StructureProblems {
  readonly texts: readonly string[]
  /** Parts that cannot be looked at further, e.g. `fields`, `fields.mov_year`; `''`: all of it. */
  readonly broken: ReadonlySet<string>
  /** The definition without actions, pivot tables and publications that are broken; nothing else refers to those. */
  readonly rest: ObjectDefinition
}

const actionKeys: Readonly<Record<keyof ActionDefinition, keyof typeof wanted>> = {
  label: 'text',
  help: 'text',
  scope: 'text',
  parameters: 'map',
  groups: 'list',
  confirm: 'text',
  background: 'flag',
  repeatable: 'flag',
  resumable: 'flag',
  run: 'function',
}

const hookNames: Readonly<Record<keyof ObjectHooks, true>> = {
  initCreate: true,
  initUpdate: true,
  preValidate: true,
  postValidate: true,
  preSave: true,
  preCreate: true,
  preUpdate: true,
  postCreate: true,
  postUpdate: true,
  postSave: true,
  initDelete: true,
  preDelete: true,
  postDelete: true,
  preSelect: true,
  postSelect: true,
  preSearch: true,
  postSearchRow: true,
  postSearch: true,
  preCount: true,
  isCreateEnable: true,
  isUpdateEnable: true,
  isDeleteEnable: true,
  isActionEnable: true,
}

/**
 * Checks a definition of whatever origin by the schema that YAML files are checked by, and its parts that are code.
 *
 * @param number place among the definitions, from 1 on, for one that has no name.
 */
export function checkStructure(definition: unknown, number: number): StructureProblems {
  const nothing = { name: '', fields: {} }
  if (!isMap(definition)) {
    const text = `definition ${number}: must be an object, not ${describeOther(definition)}`
    return { texts: [text], broken: new Set(['']), rest: nothing }
  }
  const { hooks, actions, ...data } = definition
  const place = typeof data['name'] === 'string' ? data['name'] : `definition ${number}`
  const mistakes = [...mistakesIn(data), ...checkHooks(hooks), ...checkActions(actions)]
  const broken = new Set(mistakes.filter(({ text }) => !isAddition(text)).map(({ path }) => partOf(path)))
  if (typeof data['name'] !== 'string') broken.add('')
  return {
    texts: mistakes.map(({ path, text }) => `${[place, ...withoutFields(path)].join('.')}: ${text}`),
    broken,
    rest: (broken.size === 0 ? definition : without(definition, broken)) as unknown as ObjectDefinition,
  }
}

/** A key too many breaks nothing. */
function isAddition(text: string): boolean {
  return text.startsWith('is not known here')
}

type Mistake = Pick<SchemaMistake, 'path' | 'text'>

/** Members of these have checks of their own, which say more than the schema does. */
const sections = ['actions', 'publications', 'crosstabs'] as const

function mistakesIn(data: Readonly<Record<string, unknown>>): Mistake[] {
  const { publications } = data
  const plain = isMap(publications) ? { ...data, publications: withTexts(publications) } : data
  return validate(plain) ? [] : readSchemaErrors((validate.errors ?? []).filter(isOurs))
}

function isOurs({ instancePath, keyword }: ErrorObject): boolean {
  const [, section, ...rest] = instancePath.split('/')
  if (section !== 'publications' && section !== 'crosstabs') return true
  return keyword === 'additionalProperties' || (['type', 'required'].includes(keyword) && rest.length <= 2)
}

/** Code may name the file of a publication by a URL. */
function withTexts(publications: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(publications).map(([name, publication]) => {
    const file = isMap(publication) ? publication['file'] : undefined
    return [name, file instanceof URL ? { ...(publication as object), file: file.href } : publication]
  })
  return Object.fromEntries(entries) as Record<string, unknown>
}

/** Places read like those of other mistakes: `Movie.mov_year`. */
function withoutFields(path: readonly string[]): readonly string[] {
  return path[0] === 'fields' ? path.slice(1) : path
}

/** What a mistake makes unusable: a field, an action, …, or a whole property of the definition. */
function partOf([part = '', member]: readonly string[]): string {
  const hasMembers = part === 'fields' || sections.some((section) => section === part)
  return hasMembers && member !== undefined ? `${part}.${member}` : part
}

function without(
  definition: Readonly<Record<string, unknown>>,
  broken: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const kept = { ...definition }
  for (const section of sections) {
    const members = definition[section]
    if (!isMap(members)) delete kept[section]
    else
      kept[section] = Object.fromEntries(Object.entries(members).filter(([name]) => !broken.has(`${section}.${name}`)))
  }
  return kept
}

function checkHooks(hooks: unknown): Mistake[] {
  if (hooks === undefined) return []
  if (!isMap(hooks))
    return [{ path: ['hooks'], text: `must be a map of names to functions, not ${describeOther(hooks)}` }]
  return Object.entries(hooks).flatMap(([name, hook]) => {
    const path = ['hooks', name]
    if (!Object.hasOwn(hookNames, name)) return [{ path, text: unknownKey(name, Object.keys(hookNames)) }]
    return hook === undefined || typeof hook === 'function' ? [] : [{ path, text: 'must be a function' }]
  })
}

function checkActions(actions: unknown): Mistake[] {
  if (actions === undefined) return []
  if (!isMap(actions))
    return [{ path: ['actions'], text: `must be a map of names to actions, not ${describeOther(actions)}` }]
  return Object.entries(actions).flatMap(([name, action]) => {
    const mistakes = isMap(action) ? checkAction(action) : [{ path: [], text: 'must be an action' }]
    return mistakes.map(({ path, text }) => ({ path: ['actions', name, ...path], text }))
  })
}

function checkAction(action: Readonly<Record<string, unknown>>): Mistake[] {
  const mistakes: Mistake[] = Object.entries(action).flatMap(([key, value]) => {
    if (!Object.hasOwn(actionKeys, key)) return [{ path: [key], text: unknownKey(key, Object.keys(actionKeys)) }]
    const kind = actionKeys[key as keyof ActionDefinition]
    return value === undefined || fits(value, kind) ? [] : [{ path: [key], text: `must be ${wanted[kind]}` }]
  })
  if (action['run'] === undefined) mistakes.push({ path: [], text: 'needs "run"' })
  const { parameters } = action
  if (!isMap(parameters) || Object.keys(parameters).length === 0) return mistakes
  // They are described like fields.
  const found = mistakesIn({ name: 'Parameters', fields: parameters })
  return [...mistakes, ...found.map(({ path, text }) => ({ path: ['parameters', ...withoutFields(path)], text }))]
}

const wanted = {
  text: 'text',
  list: 'a list of texts',
  flag: 'true or false',
  function: 'a function',
  map: 'a map of names to parameters',
} as const

function fits(value: unknown, kind: keyof typeof wanted): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string'
    case 'list':
      return Array.isArray(value) && value.every((each) => typeof each === 'string')
    case 'flag':
      return typeof value === 'boolean'
    case 'function':
      return typeof value === 'function'
    case 'map':
      return isMap(value)
  }
}

function unknownKey(key: string, known: readonly string[]): string {
  const meant = nearMiss(key, known)
  return `is not known here; ${meant === undefined ? `known are ${known.join(', ')}` : `did you mean "${meant}"?`}`
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function describeOther(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return value === undefined || value === null ? 'nothing' : `a ${typeof value}`
}
