import {
  bytesValue,
  createModel,
  type AggregateQuery,
  type FieldModel,
  type Filter,
  type Model,
  type ObjectModel,
  type ReferenceModel,
} from '@steward/rest-core'
import type { Change } from '../src/lib/schema/changes.js'
import type { TypeRules } from '../src/lib/schema/dialect.js'
import { planChanges } from '../src/lib/schema/plan.js'
import type { ColumnFamily, ColumnInfo } from '../src/lib/schema/table-info.js'
import { createCompiler } from '../src/lib/sql/compiler.js'
import type { Dialect } from '../src/lib/sql/dialect.js'
import type { BoundStatement } from '../src/lib/sql/statement.js'

/** Objects with every kind of column, odd names, references in chains and to themselves, string ids. */
export const everyKind: Model = createModel([
  {
    name: 'Group',
    table: 'order',
    indexable: true,
    fields: {
      code: { type: 'string', length: 20, key: true },
      above: { type: 'reference', object: 'Group', display: ['code'], onDelete: 'cascade' },
    },
  },
  {
    name: 'Device',
    table: 'a "b" [c] é',
    indexable: true,
    fields: {
      row_id: { type: 'id', values: 'string' },
      key: { type: 'string', column: 'select', length: 40, key: true },
      text: { type: 'text', index: true },
      count: { type: 'integer', precision: 9, index: true },
      large: { type: 'integer', precision: 18 },
      price: { type: 'decimal', precision: 12, scale: 3 },
      exact: { type: 'decimal', precision: 38, scale: 10, unique: true },
      active: { type: 'boolean' },
      day: { type: 'date', index: true },
      moment: { type: 'datetime' },
      clock: { type: 'time' },
      state: { type: 'enum', values: ['x', 'y'] },
      states: { type: 'multi-enum', values: ['x', 'y'] },
      more: { type: 'object' },
      file: { type: 'document', storage: 'column' },
      group: { type: 'reference', object: 'Group', display: ['code', 'above__code'], onDelete: 'setNull' },
      next: { type: 'reference', object: 'Device', display: ['key'] },
    },
  },
])

const samples = {
  key: 'a',
  text: 'b',
  count: 1,
  large: '123456789012345678',
  price: 1.5,
  exact: '1234567890123456789012345678.5',
  active: true,
  day: '2026-01-02',
  moment: '2026-01-02 03:04:05',
  clock: '03:04:05',
  state: 'x',
  states: ['x', 'y'],
  more: { a: 1 },
  file: bytesValue(Buffer.of(1, 2)),
  group: '1',
  next: 'n',
  group__code: 'c',
  group__above__code: 'd',
} as const

type Field = keyof typeof samples

const comparable: readonly Field[] = (Object.keys(samples) as Field[]).filter(
  (name) => !['states', 'more', 'file'].includes(name),
)

/** The distinct texts of statements that the compiler makes for the requests of a dialect. `words`: also of index searches. */
export function compiledStatements(dialect: Dialect, { words = true } = {}): string[] {
  const compiler = createCompiler(dialect)
  const calls: (BoundStatement | undefined)[] = []
  for (const object of everyKind.objects.values()) {
    const own = object.select(object.fields.map(({ name }) => name))
    const order = [{ field: keyOf(object), descending: true }, ...object.order]
    for (const select of [object.selection, own, object.select([])]) {
      calls.push(
        compiler.get(object, '1', { select }),
        compiler.get(object, '1', { select, lock: true }),
        compiler.get(object, '1', { select, lock: 'delete' }),
        compiler.lock(object, '1', { select, lock: true }),
        compiler.lock(object, '1', { select, lock: 'delete' }),
        compiler.search(object, { select, order }),
        compiler.search(object, { select, order: object.order, limit: 10 }),
        compiler.search(object, { select, order, limit: 10, offset: 20 }),
        compiler.search(object, { select, order, limit: 10, offset: 20_000 }),
        compiler.search(object, { select, order, offset: 20 }),
        compiler.insert(object, {}, select),
      )
      for (let limit = 1; limit < 20; limit++)
        calls.push(
          compiler.search(object, { select, order, limit }),
          compiler.search(object, { select, order, limit, offset: 5 }),
        )
    }
    calls.push(
      compiler.count(object, undefined),
      compiler.delete(object, '1', undefined),
      compiler.aggregate(object, { groups: [], values: [{ function: 'count' }] }),
    )
  }
  calls.push(...deviceCalls(compiler, everyKind.object('Device')))
  if (words)
    calls.push(...wordCalls(compiler, everyKind.object('Device')), ...wordCalls(compiler, everyKind.object('Group')))
  return [...new Set(calls.flatMap((call) => (call ? [call.statement.sql] : [])))]
}

type Compiler = ReturnType<typeof createCompiler>

function filters(): Filter[] {
  const single = comparable.flatMap((field): Filter[] => {
    const value = samples[field]
    return [
      ...(['=', '<>', '<', '<=', '>', '>='] as const).map((op): Filter => ({ op, field, value })),
      { op: 'in', field, values: [value] },
      { op: 'in', field, values: [value, value, value] },
      { op: 'notIn', field, values: [value, value] },
      { op: 'like', field, pattern: '%a_' },
      { op: 'like', field, pattern: 'a\\%[b]%' },
      { op: 'notLike', field, pattern: 'a%' },
      { op: 'like', field, pattern: '%' },
      { op: 'null', field },
      { op: 'notNull', field },
    ]
  })
  const many = Array.from({ length: 40 }, (_, value): Filter => ({ op: '=', field: 'count', value }))
  return [
    ...single,
    { op: 'contains', field: 'states', value: 'x' },
    { op: 'notContains', field: 'states', value: 'x' },
    { op: 'null', field: 'states' },
    { op: 'null', field: 'more' },
    { op: 'notNull', field: 'more' },
    { op: 'null', field: 'file' },
    { op: 'notNull', field: 'file' },
    { op: 'in', field: 'key', values: [] },
    { op: 'notIn', field: 'key', values: [] },
    { op: 'or', terms: many },
    { op: 'or', terms: [] },
    { op: 'and', terms: [{ op: 'or', terms: single.slice(0, 3) }, ...single.slice(-4)] },
  ]
}

function deviceCalls(compiler: Compiler, device: ObjectModel): (BoundStatement | undefined)[] {
  const select = device.selection
  const group = referenceOf(device, 'group')
  const above = referenceOf(everyKind.object('Group'), 'above')
  const guards = [
    { path: [group], where: { op: '=', field: 'code', value: 'g' } as Filter },
    { path: [group, above], where: { op: '=', field: 'above__code', value: 'h' } as Filter },
  ]
  const guarded: Filter = { op: 'guarded', terms: [{ op: 'like', field: 'group__above__code', pattern: 'a%' }] }
  const joined: Filter = { op: '=', field: 'group__code', value: 'x' }
  const own: Filter = {
    op: 'and',
    terms: [
      { op: '>', field: 'count', value: 3 },
      { op: 'notLike', field: 'key', pattern: 'x%' },
    ],
  }
  const content = device.fields.find(({ name }) => name === 'file')?.content as FieldModel
  const whole = { object: device, key: 'content', fields: [device.id, content] }
  const calls: (BoundStatement | undefined)[] = [compiler.get(device, '1', { select: whole })]
  for (const where of filters()) calls.push(compiler.count(device, where))
  for (const field of comparable)
    for (const descending of [false, true])
      calls.push(
        compiler.search(device, { select, order: [{ field, descending }, ...device.order], limit: 5, offset: 1 }),
      )
  for (const where of [own, joined])
    calls.push(
      compiler.get(device, '1', { select, where }),
      compiler.get(device, '1', { select, where, lock: true }),
      compiler.get(device, '1', { select, where, lock: 'delete' }),
      compiler.search(device, { select, where, order: device.order, limit: 7 }),
      compiler.search(device, { select, where, order: device.order, limit: 7, offset: 1 }),
      compiler.update(device, '1', { key: 'b' }, { select, where }),
      compiler.delete(device, '1', where),
    )
  calls.push(
    compiler.get(device, '1', { select, guards }),
    compiler.search(device, { select, where: guarded, order: device.order, limit: 7, offset: 2, guards }),
    compiler.count(device, guarded, guards),
    compiler.insert(device, samplesOf(device), select),
    compiler.insert(device, samplesOf(device), device.select(['key'])),
    compiler.update(device, '1', samplesOf(device), { select }),
    compiler.update(device, '1', { key: 'x' }, { select: device.select(['key']) }),
  )
  const aggregates: AggregateQuery[] = [
    ...(['year', 'quarter', 'month', 'day'] as const).flatMap((by): AggregateQuery[] => [
      { groups: [{ field: 'day', by }], values: [{ function: 'count' }] },
      { groups: [{ field: 'moment', by }], values: [{ function: 'count', field: 'key' }] },
    ]),
    ...comparable.map((field): AggregateQuery => ({ groups: [{ field }], values: [{ function: 'count', field }] })),
    {
      groups: [{ field: 'group__above__code' }, { field: 'active' }],
      values: (['count', 'large', 'price', 'exact'] as const).flatMap((field) =>
        (['sum', 'min', 'max'] as const).map((name) => ({ function: name, field })),
      ),
      where: joined,
      limit: 3,
      guards,
    },
    {
      groups: [],
      values: (['day', 'moment', 'clock'] as const).flatMap((field) =>
        (['min', 'max'] as const).map((name) => ({ function: name, field })),
      ),
    },
  ]
  for (const query of aggregates) calls.push(compiler.aggregate(device, query), compiler.aggregate(device, query, true))
  return calls
}

function keyOf({ name }: ObjectModel): string {
  return name === 'Group' ? 'code' : 'key'
}

function referenceOf({ references }: ObjectModel, name: string): ReferenceModel {
  const found = references.find((reference) => reference.name === name)
  if (!found) throw new TypeError(`There is no reference "${name}".`)
  return found
}

function samplesOf({ fields }: ObjectModel): Record<string, (typeof samples)[Field]> {
  return Object.fromEntries(fields.map(({ name }) => [name, samples[name as Field]]))
}

function wordCalls(compiler: Compiler, object: ObjectModel): BoundStatement[] {
  const select = object.selection
  const field = keyOf(object)
  const wheres: (Filter | undefined)[] = [undefined, { op: '=', field, value: 'x' }]
  const terms = [
    { words: ['a'], prefix: false },
    { words: ['b', 'c'], prefix: false },
    { words: ['d'], prefix: true },
  ]
  return [terms.slice(0, 1), terms.slice(2), terms].flatMap((some) =>
    wheres.flatMap((where) =>
      [false, true].flatMap((uncommitted) => [
        compiler.searchIndex(object, { select, terms: some, where, limit: 5 }, uncommitted),
        compiler.searchIndex(object, { select, terms: some, where, limit: 5, offset: 3 }, uncommitted),
        compiler.countIndex(object, { terms: some, where }, uncommitted),
      ]),
    ),
  )
}

/**
 * Changes of every kind: the tables of `everyKind` from nothing, and one column of every family made into one of every
 * other, wider and narrower ones too.
 */
export function everyChange(types: TypeRules, { words = true } = {}): Change[] {
  const created = planChanges(everyKind, { tables: [], foldsTableNames: false, foldsColumnNames: false }, types).changes
  const table = 'a "b" [c] é'
  const families: readonly ColumnFamily[] = [
    { kind: 'string', length: 40 },
    { kind: 'string', length: undefined },
    { kind: 'uuid' },
    { kind: 'integer', digits: 9 },
    { kind: 'decimal', precision: 12, scale: 3 },
    { kind: 'float' },
    { kind: 'boolean' },
    { kind: 'date' },
    { kind: 'datetime' },
    { kind: 'time' },
  ]
  const wanted = [
    { kind: 'string', length: 20 },
    { kind: 'text' },
    { kind: 'integer', precision: 5 },
    { kind: 'integer', precision: 18 },
    { kind: 'decimal', precision: 20, scale: 2 },
    { kind: 'boolean' },
    { kind: 'date' },
    { kind: 'datetime' },
    { kind: 'time' },
    { kind: 'json' },
    { kind: 'list' },
  ] as const
  const changed = families.flatMap((type) =>
    wanted.flatMap((kind): Change[] => {
      const column = 'it\'s "x" [y]'
      const actual: ColumnInfo = {
        name: column,
        type,
        declaration: types.column(kind).declaration,
        nullable: true,
        hasDefault: true,
        autoIncrement: false,
        generated: false,
        collation: undefined,
      }
      const change = { kind: 'changeColumn', table, column, actual, wanted: types.column(kind), title: '' } as const
      return [
        { ...change, widening: false },
        { ...change, widening: true },
      ]
    }),
  )
  const changes: Change[] = [
    ...created,
    ...changed,
    { kind: 'renameTable', table, from: "it's" },
    { kind: 'renameColumn', table, column: 'new "x"', from: "old's" },
    {
      kind: 'addColumn',
      table,
      column: { name: 'x', declaration: types.column({ kind: 'text' }).declaration, title: '' },
    },
    { kind: 'dropColumn', table, column: "it's" },
    { kind: 'createView', table, query: 'select a, count(b) as b from t group by a', mark: 'stw_view_1' },
    { kind: 'dropView', table },
    { kind: 'dropIndex', table, name: 'stw_ix', beforeChanges: true },
    { kind: 'dropForeignKey', table, name: 'stw_fk', columns: ['x'] },
    { kind: 'dropWordIndex', table, name: 'stw_ft', column: 'x' },
    ...(['refuse', 'cascade', 'setNull'] as const).map((onDelete): Change => ({
      kind: 'addForeignKey',
      table,
      name: `stw_fk_${onDelete}`,
      columns: ['x'],
      target: 'order',
      targetColumns: ['row_id'],
      onDelete,
    })),
  ]
  return words ? changes : changes.filter(({ kind }) => kind !== 'addWordIndex' && kind !== 'dropWordIndex')
}
