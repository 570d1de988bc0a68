import type {
  BusinessObjects,
  FieldModel,
  FieldValue,
  Filter,
  ObjectModel,
  Principal,
  ReferenceModel,
} from '@steward/rest-core'
import { Problem, isEmpty } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'

/** Values of the functional key of a linked record: by field, or again by field for a reference in the key. */
export type KeyValues = Map<string, unknown>

/** Most keys that are remembered. */
const mostKnown = 50_000

/** Finds records by functional keys, inside one import. */
export interface KeyReferences {
  /**
   * The row id of the linked record: `''` when all values are empty, `undefined` when there is none.
   *
   * @param path for messages, e.g. `mov_genre_id`.
   * @throws RestError ERR_VALIDATION for keys that are not complete or hold wrong values
   */
  find(target: ObjectModel, values: KeyValues, path: string): Promise<string | undefined>
  /** To be called when records went away. */
  forget(): void
}

export function createKeyReferences(service: BusinessObjects, principal: Principal): KeyReferences {
  const known = new Map<string, string>()
  return { find, forget: () => known.clear() }

  async function find(target: ObjectModel, values: KeyValues, path: string): Promise<string | undefined> {
    checkNames(target, values, path)
    const key: FieldValue[] = []
    for (const field of target.key) {
      const value = await valueOf(field, values.get(field.name), `${path}.${field.name}`)
      if (value === undefined) return undefined
      key.push(value)
    }
    if (key.every((value) => isEmpty(value))) return ''
    return lookUp(target, key)
  }

  async function valueOf(field: FieldModel, given: unknown, path: string): Promise<FieldValue | undefined> {
    if (given instanceof Map) return find((field as ReferenceModel).target, given as KeyValues, path)
    return parseValue(field, given, path)
  }

  async function lookUp(target: ObjectModel, key: readonly FieldValue[]): Promise<string | undefined> {
    const name = JSON.stringify([target.name, ...key])
    const before = known.get(name)
    if (before !== undefined) return before
    const request = { filter: keyFilter(target.key, key), fields: [], page: 0, pageSize: 1 }
    for await (const [record] of await service.search(principal, target.name, request)) {
      if (!record) continue
      if (known.size >= mostKnown) known.clear()
      known.set(name, record.row_id)
      return record.row_id
    }
    return undefined
  }
}

/** The record with these values of these fields. */
export function keyFilter(fields: readonly FieldModel[], values: readonly FieldValue[]): Filter {
  return {
    op: 'and',
    terms: fields.map(({ name }, at) =>
      isEmpty(values[at]) ? { op: 'null', field: name } : { op: '=', field: name, value: values[at] as FieldValue },
    ),
  }
}

/** @throws RestError ERR_VALIDATION */
export function parseValue(field: FieldModel, given: unknown, path = field.name): FieldValue {
  const value = field.type.parse(given, field)
  if (!(value instanceof Problem)) return value
  throw RestError.validation([{ code: value.code, field: path, text: `Field "${path}" ${value.text}.` }])
}

function checkNames(target: ObjectModel, values: KeyValues, path: string): void {
  const names = target.key.map(({ name }) => name)
  const needed = names.map((name) => `${path}.${name}`).join(', ')
  if (names.length === 0) throw invalid(path, `"${target.name}" has no functional key; give the row id in "${path}".`)
  const unknown = [...values.keys()].find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw invalid(path, `"${path}.${unknown}" is not part of the functional key of "${target.name}"; give ${needed}.`)
  const missing = names.find((name) => !values.has(name))
  if (missing !== undefined) throw invalid(path, `The key of "${target.name}" is not complete; give ${needed}.`)
}

function invalid(field: string, text: string): RestError {
  return RestError.validation([{ code: 'ERR_REFERENCE', field, text }])
}
