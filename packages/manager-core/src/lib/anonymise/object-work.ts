import { ManagerError } from '../../errors.js'
import type { Json } from '../domain/json.js'
import type { MakeValue } from './column-maker.js'
import type { AnonymisationKey } from './key.js'
import type { ColumnPlan, ObjectPlan } from './resolve-rules.js'
import type { Spool } from './spool.js'

export interface RowCounts {
  /** Records of the dump. */
  read: number
  /** How many of them are in the clone. */
  rows: number
  /** Values that are others now, by field. */
  readonly changed: Record<string, number>
}

/** The records of one object, one after the other. */
export interface ObjectWork {
  readonly name: string
  readonly counts: RowCounts
  /** @returns the changed line; undefined when it is dropped, or comes with `rest` */
  change(line: string): string | undefined
  /** Lines that waited for the last one. */
  rest(): Generator<string>
}

export interface ObjectWorkOptions {
  readonly key: AnonymisationKey
  readonly spool: Spool
  readonly administrator: string
  readonly maker: (column: ColumnPlan) => MakeValue
  /** Called with the id of each document that a record of the clone has and may keep. */
  readonly onDocument: (id: string) => void
}

/** @param fields of the dump, in the order of its records */
export function createObjectWork(
  { object, dropped, columns }: ObjectPlan,
  fields: readonly string[],
  { key, spool, administrator, maker, onDocument }: ObjectWorkOptions,
): ObjectWork {
  const { name } = object
  const counts: RowCounts = { read: 0, rows: 0, changed: {} }
  const changes = fields.flatMap((field, at) => {
    const column = columns.find((one) => one.field.name === field)
    if (!column) throw new ManagerError('ERR_FAILED', `The application has no field "${field}" in ${name}.`)
    const { kind } = column.rule
    if (kind === 'keep') return []
    const isLogin = column.field.technical || (name === 'User' && field === 'usr_login')
    return [{ at, column, kind, make: makeOf(column, isLogin) }]
  })
  const documents = columns.filter((column) => column.keepsDocuments).map(({ field }) => fields.indexOf(field.name))
  const made = changes.filter(({ kind }) => kind !== 'shuffle')
  const shuffled = changes.filter(({ kind }) => kind === 'shuffle')
  for (const { column } of changes) counts.changed[column.field.name] = 0

  return { name, counts, change, rest }

  function makeOf(column: ColumnPlan, isLogin: boolean): MakeValue {
    const { field, rule } = column
    if (rule.kind === 'null') return () => field.empty
    if (rule.kind === 'shuffle') return (value) => value
    const make = maker(column)
    return isLogin ? (value) => (value === administrator ? value : make(value)) : make
  }

  function change(line: string): string | undefined {
    counts.read++
    if (dropped) return undefined
    counts.rows++
    if (changes.length === 0 && documents.length === 0) return line
    const row = JSON.parse(line) as Json[]
    // Shuffled ones come to another record, and stay.
    for (const at of documents) if (!isEmpty(row[at] as Json)) onDocument(String(row[at]))
    for (const { at, column, make } of made) {
      const value = row[at] as Json
      if (isEmpty(value)) continue
      row[at] = make(value)
      count(column, value, row[at])
    }
    if (shuffled.length === 0) return JSON.stringify(row)
    const values = shuffled.map(({ at, column }) => {
      const order = key.digest(`shuffle ${name}.${column.field.name}`, String(counts.rows)).readBigInt64BE(0)
      return { value: JSON.stringify(row[at]), order }
    })
    spool.add(JSON.stringify(row), values)
    return undefined
  }

  function* rest(): Generator<string> {
    if (shuffled.length === 0) return
    for (const { row: text, values } of spool.drain()) {
      const row = JSON.parse(text) as Json[]
      for (const [number, { at, column }] of shuffled.entries()) {
        const before = row[at] as Json
        row[at] = JSON.parse(values[number] as string) as Json
        count(column, before, row[at])
      }
      yield JSON.stringify(row)
    }
  }

  function count({ field }: ColumnPlan, before: Json, after: Json): void {
    if (before === after || JSON.stringify(before) === JSON.stringify(after)) return
    counts.changed[field.name] = (counts.changed[field.name] as number) + 1
  }
}

function isEmpty(value: Json): boolean {
  return value === '' || value === null || (Array.isArray(value) && value.length === 0)
}
