import { RestError } from '../../errors.js'
import type { FieldValue } from '../fields/field-value.js'
import { isEmpty, Problem } from '../fields/field-type.js'
import { and } from '../filter/combine.js'
import type { Filter } from '../filter/filter.js'
import type { FieldModel } from '../model/model.js'
import type { Access } from '../rights/access.js'
import { accessOf } from '../rights/access.js'
import type { Principal } from '../rights/rights.js'
import type { BusinessObjects, ObjectName, UpsertOptions } from './business-objects.js'
import { passHashes } from './password-hashes.js'
import { retryDuplicate } from './retry.js'
import type { ServiceContext } from './service-context.js'
import { translate } from './store-errors.js'

/** Records by their functional key. */
export function createKeys(context: ServiceContext): Pick<BusinessObjects, 'findByKey' | 'upsert'> {
  return { findByKey, upsert: upsert as BusinessObjects['upsert'] }

  async function findByKey(principal: Principal, name: ObjectName, key: readonly FieldValue[]): Promise<string> {
    const access = accessOf(principal, context.resolve(name))
    const fields = keyOf(access, key)
    const id = await find(principal, access, fields, key)
    if (id !== undefined) return id
    const shown = fields.map((field, at) => `${field.name} "${String(key[at]).slice(0, 100)}"`).join(', ')
    throw RestError.notFound(`Record with ${shown} of "${access.object.name}"`)
  }

  async function upsert(principal: Principal, name: ObjectName, body: unknown, options: UpsertOptions = {}) {
    const object = context.resolve(name)
    const access = accessOf(principal, object)
    const { key, precondition } = options
    const fields = keyOf(access, key)
    const values = key ? withKey(fields, key, body) : body
    const given = fields.map((field) => (values as Record<string, unknown> | null | undefined)?.[field.name])
    const service = context.bind(context.transaction)
    // A transaction is undone as a whole, so the code that opened it has to start again.
    return context.transaction ? attempt() : retryDuplicate(attempt)

    async function attempt() {
      const rowId = await find(principal, access, fields, given)
      if (rowId !== undefined)
        return { created: false, record: await service.update(principal, object.name, rowId, values, options) }
      if (precondition)
        throw new RestError('ERR_PRECONDITION', `There is no record of "${object.name}" with this key yet.`)
      return { created: true, record: await service.create(principal, object.name, values, options) }
    }
  }

  /** The row that has this key, as far as the caller may see it. */
  async function find(
    principal: Principal,
    access: Access,
    fields: readonly FieldModel[],
    key: readonly unknown[],
  ): Promise<string | undefined> {
    const { object } = access
    const rights = access.need('R')
    const terms: Filter[] = []
    for (const [at, field] of fields.entries()) {
      const value = field.type.parse(key[at], field)
      if (value instanceof Problem || isEmpty(value)) return undefined
      terms.push({ op: '=', field: field.name, value })
    }
    try {
      const session = await context.session(principal)
      const query = { select: object.select([]), where: and(rights, { op: 'and', terms }), order: byId, limit: 1 }
      for await (const [record] of session.search(object, query)) return record?.row_id
      return undefined
    } catch (error) {
      throw await translate(error, { object, operation: 'read' }, context.store)
    }
  }
}

const byId = [{ field: 'row_id', descending: false }] as const

/**
 * The members of the functional key.
 *
 * @param key Values that there must be one of for each member.
 * @throws RestError ERR_NOT_FOUND without a key (that this user may see), ERR_BAD_REQUEST for another number of values.
 */
function keyOf(access: Access, key: readonly unknown[] | undefined): readonly FieldModel[] {
  const { name, key: fields } = access.object
  if (fields.length === 0 || fields.some((field) => access.hides(field) || !field.visible)) {
    throw new RestError('ERR_NOT_FOUND', `Object "${name}" has no functional key; use the row ids of its records.`)
  }
  if (key && key.length !== fields.length) {
    const names = fields.map((field) => field.name).join(', ')
    throw new RestError(
      'ERR_BAD_REQUEST',
      `The functional key of "${name}" takes ${fields.length === 1 ? 'one value' : `${fields.length} values`} (${names}), not ${key.length}; a "," inside a value is written %2C.`,
    )
  }
  return fields
}

/** The values with those of the key. @throws RestError ERR_VALIDATION when they name another key */
function withKey(fields: readonly FieldModel[], key: readonly FieldValue[], body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const values = body as Readonly<Record<string, unknown>>
  const others = fields.filter((field, at) => {
    const given = values[field.name]
    return given !== undefined && !isSame(field, given, key[at])
  })
  if (others.length > 0) {
    throw RestError.validation(
      others.map(({ name }) => ({
        code: 'ERR_USERKEY',
        field: name,
        text: `Field "${name}" differs from the key in the address; leave it out, or update the record by its row id.`,
      })),
    )
  }
  const whole = { ...values, ...Object.fromEntries(fields.map(({ name }, at) => [name, key[at]])) }
  passHashes(body, whole)
  return whole
}

function isSame(field: FieldModel, a: unknown, b: unknown): boolean {
  const [first, second] = [field.type.parse(a, field), field.type.parse(b, field)]
  return !(first instanceof Problem) && JSON.stringify(first) === JSON.stringify(second)
}
