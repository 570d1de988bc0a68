import type { BusinessObjects, FieldModel, FieldValue, ObjectModel, Principal } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { isReference } from './export-columns.js'

/** Functional keys of linked records: values by row id, a value per path. What the user may not read is empty. */
export interface LinkedKeys {
  /** Reads the keys of these records at once. */
  load(target: ObjectModel, rowIds: Iterable<string>): Promise<void>
  /** @throws RestError ERR_CONFLICT when the record is gone */
  value(target: ObjectModel, rowId: string, path: readonly FieldModel[]): FieldValue
}

/** Most keys that are remembered per object; more than a batch of records refers to. */
const mostKnown = 20_000

export function createLinkedKeys(service: BusinessObjects, principal: Principal, signal?: AbortSignal): LinkedKeys {
  const known = new Map<ObjectModel, Map<string, Readonly<Record<string, FieldValue>>>>()
  return { load, value }

  async function load(target: ObjectModel, rowIds: Iterable<string>): Promise<void> {
    const granted = principal.rights.object(target.name)
    if (!granted?.letters.has('R')) return
    let keys = known.get(target)
    if (!keys || keys.size > mostKnown) known.set(target, (keys = new Map()))
    const kept = keys
    const wanted = [...new Set(rowIds)].filter((id) => id !== '' && !kept.has(id))
    if (wanted.length === 0) return
    const shown = target.key.filter(({ name, visible }) => visible && !granted.hidden.has(name))
    const request = {
      filter: { op: 'in', field: 'row_id', values: wanted },
      fields: shown.map(({ name }) => name),
      signal,
    } as const
    const records = []
    for await (const batch of await service.search(principal, target.name, request)) records.push(...batch)
    for (const record of records) kept.set(record.row_id, record)
    for (const field of shown) {
      if (isReference(field) && field.target.key.length > 0)
        await load(
          field.target,
          records.map((record) => record[field.name] as string),
        )
    }
  }

  function value(target: ObjectModel, rowId: string, [field, ...rest]: readonly FieldModel[]): FieldValue {
    if (!field || rowId === '') return ''
    const key = known.get(target)?.get(rowId)
    if (!key && readsAll(target))
      throw new RestError('ERR_CONFLICT', `${target.name} "${rowId}", which exported records refer to, does not exist.`)
    const own = key?.[field.name] ?? ''
    return rest.length > 0 && isReference(field) ? value(field.target, own as string, rest) : own
  }

  /** Else a record that was not found may be one that this user may not read. */
  function readsAll({ name, definition }: ObjectModel): boolean {
    const letters = principal.rights.object(name)?.letters
    return letters?.has('R') === true && letters.get('R') === undefined && !definition.hooks?.preSearch
  }
}
