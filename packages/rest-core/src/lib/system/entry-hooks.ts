import { RestError } from '../../errors.js'
import type { FieldValue, JsonValue } from '../fields/field-value.js'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, ObjectModel } from '../model/model.js'
import { accessOf } from '../rights/access.js'
import { allRights } from '../rights/create-rights.js'
import { createPrincipal } from '../rights/principal.js'
import type { Principal } from '../rights/rights.js'
import type { ObjectHooks, RecordContext, SearchContext } from '../service/hooks.js'

/** Names of the fields of an object whose records are about records of other objects. */
export interface EntryFields {
  readonly object: string
  readonly rowId: string
  /** Values of the other record, by field. */
  readonly changes?: string
}

const everything = createPrincipal({ login: 'system' })

/**
 * Keeps rights on records when there are entries about them: entries about objects that a user may not read are not there
 * for this user. Values are shown when the record can be read by the user now, without hidden fields; a deleted record
 * counts as readable only where the right to read has no row filter. Not specified; chosen because whether a row
 * filter let the user see the record then cannot be found out afterwards.
 */
export function entryHooks(fields: EntryFields): ObjectHooks {
  return {
    preSearch: restrict,
    preCount: restrict,
    postSearchRow: (context) => show(context),
    postSelect: (context) => show(context),
  }

  function restrict(context: SearchContext): void {
    const { principal, service } = context
    if (principal.rights === allRights) return
    if (fields.changes && context.where && mentions(context.where, fields.changes)) {
      throw new RestError('ERR_BAD_REQUEST', `Field "${fields.changes}" cannot be searched.`)
    }
    const values = [...service.model.objects.keys()].filter((name) => mayRead(principal, name))
    const own: Filter = { op: 'in', field: fields.object, values }
    context.where = context.where ? { op: 'and', terms: [context.where, own] } : own
  }

  async function show(context: RecordContext): Promise<void> {
    const { principal, record, service } = context
    if (principal.rights === allRights) return
    const { object: name, rowId } = await placeOf(context)
    if (!mayRead(principal, name)) throw RestError.notFound(`Record "${record.row_id}" of "${context.object.name}"`)
    const { changes } = fields
    if (!changes || record[changes] === undefined || record[changes] === null) return
    const object = service.model.object(name)
    record[changes] = (await isReadable(context, object, rowId))
      ? withoutHidden(principal, object, record[changes] as { [field: string]: JsonValue })
      : null
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

async function isReadable({ principal, service }: RecordContext, object: ObjectModel, rowId: string): Promise<boolean> {
  const rowFilter = accessOf(principal, object).need('R')
  if (!rowFilter) return true
  const { count } = await service.count(principal, object.name, {
    filter: { op: '=', field: 'row_id', value: rowId },
  })
  return count > 0
}

function withoutHidden(
  principal: Principal,
  object: ObjectModel,
  changes: { readonly [field: string]: JsonValue },
): FieldValue {
  const access = accessOf(principal, object)
  const shown = Object.entries(changes).filter(([name]) => {
    const field = object.readable.get(name)
    return field && !access.hides(field)
  })
  return Object.fromEntries(shown)
}

function mayRead({ rights }: Principal, object: string): boolean {
  return rights.object(object)?.letters.has('R') ?? false
}

function mentions(filter: Filter, name: string): boolean {
  return 'terms' in filter ? filter.terms.some((term) => mentions(term, name)) : filter.field === name
}
