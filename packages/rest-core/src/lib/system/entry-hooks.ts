import { RestError } from '../../errors.js'
import type { FieldValue, JsonValue } from '../fields/field-value.js'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, ObjectModel } from '../model/model.js'
import { accessOf } from '../rights/access.js'
import { allRights } from '../rights/create-rights.js'
import { systemPrincipal } from '../rights/principal.js'
import type { Principal } from '../rights/rights.js'
import type { ObjectHooks, RecordContext, SearchContext } from '../service/hooks.js'
import { hidesRecords, readableNow } from '../service/readable-now.js'

/** Names of the fields of an object whose records are about records of other objects. */
export interface EntryFields {
  readonly object: string
  readonly rowId: string
  /** Who changed the other record. */
  readonly login: string
  /** Values of the other record, by field. */
  readonly changes?: string
}

const everything = systemPrincipal()

/**
 * Keeps rights on records when there are entries about them: entries about objects that a user may not read are not there
 * for this user. Where some records of an object are out of reach, an entry is there only while its record can be read:
 * searches and counts find it when they ask for that one record. The login is empty where `updated_by` is hidden.
 */
export function entryHooks(fields: EntryFields): ObjectHooks {
  return {
    preSearch: restrict,
    preCount: restrict,
    postSearchRow: (context) => show(context),
    postSelect: (context) => show(context),
  }

  async function restrict(context: SearchContext): Promise<void> {
    const { principal, service, where, order } = context
    if (principal.rights === allRights) return
    const asked = (name: string | undefined) =>
      name !== undefined && ((where && mentions(where, name)) || order.some(({ field }) => field === name))
    const objects = [...service.model.objects.values()].filter(({ name }) => mayRead(principal, name))
    const isLoginHidden = objects.some(({ name }) => hidesLogin(principal, name))
    for (const name of [fields.changes, isLoginHidden ? fields.login : undefined])
      if (asked(name)) throw new RestError('ERR_BAD_REQUEST', `Field "${name}" cannot be searched.`)
    const values = objects.filter((object) => !hidesRecords(principal, object)).map(({ name }) => name)
    const whole: Filter = { op: 'in', field: fields.object, values }
    const one = await readableOne(context)
    const own: Filter = one ? { op: 'or', terms: [whole, one] } : whole
    context.where = where ? { op: 'and', terms: [where, own] } : own
  }

  /** Entries of the one record that is asked for, when it can be read. */
  async function readableOne({ principal, service, where }: SearchContext): Promise<Filter | undefined> {
    const [name, rowId] = [fields.object, fields.rowId].map((field) => where && valueOf(where, field))
    if (name === undefined || rowId === undefined || !mayRead(principal, name)) return undefined
    if (!service.model.objects.has(name) || !(await readableNow(service, principal, name, rowId, { fields: [] })))
      return undefined
    const is = (field: string, value: string): Filter => ({ op: '=', field, value })
    return { op: 'and', terms: [is(fields.object, name), is(fields.rowId, rowId)] }
  }

  async function show(context: RecordContext): Promise<void> {
    const { principal, record, service } = context
    if (principal.rights === allRights) return
    const { object: name, rowId } = await placeOf(context)
    const object = service.model.objects.get(name)
    const isHere =
      object &&
      mayRead(principal, name) &&
      (!hidesRecords(principal, object) || (await readableNow(service, principal, name, rowId, { fields: [] })))
    if (!isHere) throw RestError.notFound(`Record "${record.row_id}" of "${context.object.name}"`)
    if (record[fields.login] !== undefined && hidesLogin(principal, name)) record[fields.login] = ''
    const { changes } = fields
    if (!changes || record[changes] === undefined || record[changes] === null) return
    record[changes] = withoutHidden(principal, object, record[changes] as { [field: string]: JsonValue })
  }

  /** What the entry is about; an answer of chosen fields may lack it. */
  async function placeOf({ object, record, service }: RecordContext): Promise<{ object: string; rowId: string }> {
    const whole: BusinessRecord =
      fields.object in record && fields.rowId in record
        ? record
        : await service.get(everything, object.name, record.row_id, { fields: [fields.object, fields.rowId] })
    return { object: whole[fields.object] as string, rowId: whole[fields.rowId] as string }
  }
}

function withoutHidden(
  principal: Principal,
  object: ObjectModel,
  changes: { readonly [field: string]: JsonValue },
): FieldValue {
  const access = accessOf(principal, object)
  return Object.fromEntries(Object.entries(changes).filter(([name]) => access.shows(name)))
}

function mayRead({ rights }: Principal, object: string): boolean {
  return rights.object(object)?.letters.has('R') ?? false
}

/** The user may not see who changed a record. */
function hidesLogin({ rights }: Principal, object: string): boolean {
  return rights.object(object)?.hidden.has('updated_by') ?? false
}

function mentions(filter: Filter, name: string): boolean {
  return 'terms' in filter ? filter.terms.some((term) => mentions(term, name)) : filter.field === name
}

/** The value that a field must have for the filter to match; undefined: it does not ask for one. */
function valueOf(filter: Filter, name: string): string | undefined {
  if (filter.op === 'and' || filter.op === 'guarded')
    return filter.terms.map((term) => valueOf(term, name)).find((value) => value !== undefined)
  return filter.op === '=' && filter.field === name ? String(filter.value) : undefined
}
