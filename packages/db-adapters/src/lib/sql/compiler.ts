import { randomUUID } from 'node:crypto'
import { readRowId, rowIdOf, withoutKey } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import type {
  AggregateQuery,
  FieldModel,
  Filter,
  Guard,
  IndexQuery,
  ObjectModel,
  Query,
  ReadOptions,
  Selection,
  Values,
} from '@steward/rest-core'
import { LRUCache } from 'lru-cache'
import { aggregateQuery } from './aggregate.js'
import { key as keyOf, slot, textOf, type Raw, type Writing } from './builder.js'
import { columnOf, columnsOf, keyColumns, type Column, type Columns } from './columns.js'
import { compileDecoder } from './decoder.js'
import { tableKey, type Dialect, type WordsPlace } from './dialect.js'
import type { TableFacts } from './facts.js'
import { filterFields, filterKey } from './filter.js'
import { bindGuards, guardsKey, type BoundGuards } from './guards.js'
import { indexCountQuery, indexSearchQuery, wordsColumn } from './index-search.js'
import { isIntegerId } from './row-id.js'
import { countQuery, selectQuery, type Page, type Paging } from './select.js'
import type { BoundStatement, Statement } from './statement.js'
import { deleteQuery, insertQuery, updateQuery } from './write.js'

/**
 * Turns requests to a store into statements and bound values. Each shape (object, operation, selection, structure of the
 * filter, order, kind of paging, lock) is compiled once by knex and kept in a bounded cache; after that a request only binds.
 * `undefined` means: no row can match, because the row id cannot be one of this table; nothing needs to be executed.
 *
 * @throws StoreError `value` for values that the column cannot hold
 */
export interface Compiler {
  /** `gives: 'records'`, at most one row. */
  get(object: ObjectModel, rowId: string, options: ReadOptions): BoundStatement | undefined
  /** Locks the row and nothing else, where `get` with a lock would also lock joined rows; then the row is read by a `get` without one. */
  lock(object: ObjectModel, rowId: string, options: ReadOptions): BoundStatement | undefined
  /** `gives: 'records'`. */
  search(object: ObjectModel, query: Query): BoundStatement
  /** `gives: 'count'`. */
  count(object: ObjectModel, where: Filter | undefined, guards?: readonly Guard[]): BoundStatement
  /** `gives: 'groups'`. `wide`: for sums that do not fit into 64 bits; default false. */
  aggregate(object: ObjectModel, query: AggregateQuery, wide?: boolean): BoundStatement
  /** `gives: 'records'`, for `decodeHits`. `uncommitted`: this transaction has written. */
  searchIndex(object: ObjectModel, query: IndexQuery, uncommitted?: boolean): BoundStatement
  /** `gives: 'count'`. */
  countIndex(
    object: ObjectModel,
    query: Pick<IndexQuery, 'terms' | 'where' | 'guards'>,
    uncommitted?: boolean,
  ): BoundStatement
  /**
   * `gives: 'records'` (one row), except: `changes` where the dialect rereads, and `id` where one statement cannot give the
   * joined fields (an object that joins itself, with `cte`). Then the adapter continues with `get` in the same transaction.
   */
  insert(object: ObjectModel, values: Values, select: Selection): BoundStatement
  /** As `insert`; no row or no change when the row is not there or does not match `where`. Reread with `get` without `where`. */
  update(
    object: ObjectModel,
    rowId: string,
    values: Values,
    options: Pick<ReadOptions, 'select' | 'where'>,
  ): BoundStatement | undefined
  /**
   * Statements (`gives: 'changes'`) that follow a write of these values, in the same transaction: those that keep the words
   * of the row findable. Usually none.
   */
  afterWrite(object: ObjectModel, rowId: string, values: Values, isNew: boolean): readonly BoundStatement[]
  /** `afterWrite` has some for these values. */
  isFollowed(object: ObjectModel, values: Values): boolean
  /** `gives: 'changes'`. */
  delete(object: ObjectModel, rowId: string, where: Filter | undefined): BoundStatement | undefined
  /** From now on statements are written with this knowledge; those that were given before stay right. */
  learn(facts: TableFacts): void
}

export interface CompilerOptions {
  /** Most shapes kept. Default 500. */
  readonly shapes?: number
}

interface Shape {
  readonly statement: Statement
  /** Which collected value each placeholder takes; `undefined`: all of them in their order. */
  readonly slots: readonly number[] | undefined
}

interface Selected {
  /** Distinct per selection in this process. */
  readonly number: number
  readonly columns: readonly Column[]
  readonly decode: Statement['decode']
}

/** Filters with longer keys are compiled for one use: they do not come again, but would fill the cache. */
const longestKey = 4_000
/** From here on it costs less to take the ids of a page first than to join the rows that are skipped; measured on SQLite. */
const farOffset = 200

const mostTextLimits = 16

let selections = 0
let statements = 0

export function createCompiler(dialect: Dialect, { shapes = 500 }: CompilerOptions = {}): Compiler {
  const cache = new LRUCache<string | Selection, Shape>({ max: shapes })
  let objects = new WeakMap<ObjectModel, Columns>()
  let known: TableFacts | undefined
  const selectedFields = new WeakMap<Selection, Selected>()

  /** Clients may choose page sizes; the first few have statements of their own. */
  const textLimits = new Set<number>()

  function isTextLimit(limit: number | undefined): boolean {
    if (!dialect.limitInText || limit === undefined) return false
    if (textLimits.size < mostTextLimits) textLimits.add(limit)
    return textLimits.has(limit)
  }

  function columns(object: ObjectModel): Columns {
    let found = objects.get(object)
    if (!found) objects.set(object, (found = columnsOf(object, dialect, known)))
    return found
  }

  function selected(select: Selection): Selected {
    let found = selectedFields.get(select)
    if (!found) {
      const fields = select.fields.map((field) => columnOf(field, dialect))
      selectedFields.set(
        select,
        (found = { number: ++selections, columns: fields, decode: compileDecoder(fields, dialect) }),
      )
    }
    return found
  }

  /**
   * The kept shape of this key, or a new one.
   *
   * @param values How many values come with it.
   */
  function shapeOf(
    key: string | Selection,
    values: number,
    compile: () => Pick<Statement, 'gives' | 'decodeGroup' | 'numbers'> & {
      readonly query: Writing
      readonly withTriggers?: Raw
    },
    decode: Statement['decode'] = noRecord,
  ): Shape {
    const kept = cache.get(key)
    if (kept) return kept
    const { query, gives, decodeGroup, withTriggers, numbers } = compile()
    const { sql, slots, outs } = textOf(query)
    if (slots.length > dialect.maxValues) {
      throw new StoreError(
        'value',
        `Cannot run a statement with ${slots.length} values: the database takes ${dialect.maxValues} at most. Use a smaller filter.`,
      )
    }
    const once = typeof key === 'string' && key.length > longestKey
    const shape: Shape = {
      statement: {
        id: ++statements,
        sql,
        withTriggers: withTriggers && textOf(withTriggers).sql,
        numbers,
        gives,
        decode,
        decodeGroup,
        outs,
        once,
      },
      // Guards of linked rows that are not joined have values that the statement does not need.
      slots: slots.length === values && slots.every((slot, at) => slot === at) ? undefined : slots,
    }
    if (!once) cache.set(key, shape)
    return shape
  }

  function bound(guards: readonly Guard[] | undefined, first: number): BoundGuards | undefined {
    return guards && bindGuards(guards, columns, first)
  }

  /** What identifies the row: one value, or one of each column of the key. */
  function encodeId(object: ObjectModel, rowId: string): unknown[] | undefined {
    const { columnType, parts } = object.id
    if (parts)
      return readRowId(parts, rowId)?.map((value, at) => dialect.encode(value, (parts[at] as FieldModel).columnType))
    const possible =
      columnType.kind === 'id' && columnType.values === 'integer' ? isIntegerId(rowId, dialect.largestId) : rowId !== ''
    return possible ? [dialect.encode(rowId, columnType)] : undefined
  }

  function joins(object: ObjectModel, { select, where }: ReadOptions): boolean {
    const { readable } = columns(object)
    const filtered = where ? [...filterFields(where)].map((name) => readable(name)) : []
    return [...selected(select).columns, ...filtered].some(({ path }) => path.length > 0)
  }

  return {
    learn(facts) {
      known = facts
      objects = new WeakMap()
      cache.clear()
    },

    get(object, rowId, options) {
      const { select, where, guards } = options
      const lock = lockOf(options)
      const values = encodeId(object, rowId)
      if (values === undefined) return undefined
      let guardsAt = 0
      let key: string | Selection = select
      if (where || guards || lock) {
        key = `get ${selected(select).number} ${lock ?? ''}`
        if (where) key += filterKey(where, columns(object), values)
        guardsAt = values.length
        if (guards) key += guardsKey(guards, columns, values)
      }
      const kept = cache.get(key)
      if (kept) return call(kept, values)
      const fields = selected(select)
      const parts = () => ({
        object,
        columns: columns(object),
        selected: fields.columns,
        where,
        guards: bound(guards, guardsAt),
        byId: true,
        lock,
      })
      return call(
        shapeOf(key, values.length, () => ({ query: selectQuery(dialect, parts()), gives: 'records' }), fields.decode),
        values,
      )
    },

    lock(object, rowId, options) {
      const lock = lockOf(options)
      if (!lock || !dialect.locksJoined || !joins(object, options)) return undefined
      const ids = encodeId(object, rowId)
      if (ids === undefined) return undefined
      const own = columns(object)
      const parts = { object, columns: own, selected: [own.id], byId: true, lock }
      const shape = shapeOf(`lock ${lock} ${own.number}`, ids.length, () => ({
        query: selectQuery(dialect, parts),
        gives: 'count',
      }))
      return call(shape, ids)
    },

    search(object, { select, where, order, limit, offset = 0, guards }) {
      const values: unknown[] = []
      const fields = selected(select)
      const paging = pagingOf(limit, offset, dialect)
      const textLimit = isTextLimit(limit) ? limit : undefined
      let key = `search ${fields.number} ${paging}${textLimit ?? ''}`
      for (const { field, descending } of order) key += `${descending ? '-' : '+'}${field}`
      if (where) key += filterKey(where, columns(object), values)
      const guardsAt = values.length
      if (guards) key += guardsKey(guards, columns, values)
      const pageAt = values.length
      if (paging !== 'all' && textLimit === undefined) values.push(limit ?? dialect.noLimit)
      if (offset > 0) values.push(offset)
      const parts = () => ({
        object,
        columns: columns(object),
        selected: fields.columns,
        where,
        guards: bound(guards, guardsAt),
        order,
        paging,
        ...(paging !== 'all' && { page: pageOf(pageAt, textLimit, offset > 0) }),
      })
      return call(
        shapeOf(key, values.length, () => ({ query: selectQuery(dialect, parts()), gives: 'records' }), fields.decode),
        values,
      )
    },

    count(object, where, guards) {
      const values: unknown[] = []
      let key = `count ${columns(object).number}`
      if (where) key += filterKey(where, columns(object), values)
      const guardsAt = values.length
      if (guards) key += guardsKey(guards, columns, values)
      const parts = () => ({ object, columns: columns(object), selected: [], where, guards: bound(guards, guardsAt) })
      return call(
        shapeOf(key, values.length, () => ({ query: countQuery(dialect, parts()), gives: 'count' })),
        values,
      )
    },

    searchIndex(object, { select, terms, where, limit, offset = 0, guards }, uncommitted = false) {
      wordsColumn(object)
      const fields = selected(select)
      const match = dialect.words.match(terms, uncommitted)
      const values = [...match.values]
      let key = `words ${fields.number} ${match.shape}${offset > 0 ? ' offset' : ''}`
      if (where) key += filterKey(where, columns(object), values)
      const guardsAt = values.length
      if (guards) key += guardsKey(guards, columns, values)
      const pageAt = values.length
      values.push(limit ?? dialect.noLimit)
      if (offset > 0) values.push(offset)
      const parts = () => ({
        object,
        columns: columns(object),
        selected: fields.columns,
        match,
        where,
        guards: bound(guards, guardsAt),
        page: pageOf(pageAt, undefined, offset > 0),
      })
      return call(
        shapeOf(
          key,
          values.length,
          () => ({ query: indexSearchQuery(dialect, parts()), gives: 'records' }),
          fields.decode,
        ),
        values,
      )
    },

    countIndex(object, { terms, where, guards }, uncommitted = false) {
      wordsColumn(object)
      const match = dialect.words.match(terms, uncommitted)
      const values = [...match.values]
      let key = `count words ${columns(object).number} ${match.shape}`
      if (where) key += filterKey(where, columns(object), values)
      const guardsAt = values.length
      if (guards) key += guardsKey(guards, columns, values)
      const parts = () => ({
        object,
        columns: columns(object),
        match,
        where,
        guards: bound(guards, guardsAt),
      })
      return call(
        shapeOf(key, values.length, () => ({ query: indexCountQuery(dialect, parts()), gives: 'count' })),
        values,
      )
    },

    aggregate(object, { groups, values, where, limit, guards }, wide = false) {
      const collected: unknown[] = []
      let key = `aggregate ${columns(object).number} ${limit ?? ''}${wide ? ' wide' : ''}`
      for (const { field, by = '' } of groups) key += ` ${field}.${by}`
      for (const value of values) key += ` ${value.function} ${value.field ?? ''}`
      if (where) key += filterKey(where, columns(object), collected)
      const guardsAt = collected.length
      if (guards) key += guardsKey(guards, columns, collected)
      const { readable } = columns(object)
      const parts = () => ({
        object,
        columns: columns(object),
        groups: groups.map(({ field, by }) => ({ column: readable(field), by })),
        values: values.map((value) => ({
          function: value.function,
          column: value.field === undefined ? undefined : readable(value.field),
        })),
        where,
        guards: bound(guards, guardsAt),
        limit,
        wide,
      })
      return call(
        shapeOf(key, collected.length, () => aggregateQuery(dialect, parts())),
        collected,
      )
    },

    insert(object, given, select) {
      const { idValues, writable } = columns(object)
      const givesId = idValues === 'string' && !given['row_id']
      const values = givesId ? { ...given, row_id: randomUUID() } : given
      const fields = selected(select)
      const { collected, names, written } = collect(values, writable)
      const parts = { object, columns: columns(object), written, selected: fields.columns }
      const key = `insert ${fields.number}${names}`
      const shape = shapeOf(key, collected.length, () => insertQuery(dialect, parts), fields.decode)
      const { parts: made } = object.id
      const rowId = made ? rowIdOf(made, ({ name }) => given[name]) : (values['row_id'] as string | undefined)
      return { ...call(shape, collected), rowId }
    },

    update(object, rowId, values, options) {
      const { select, where } = options
      const id = encodeId(object, rowId)
      if (id === undefined) return undefined
      const { collected, names, written } = collect(withoutKey(object, rowId, values), columns(object).writable)
      if (written.length === 0) return this.get(object, rowId, options)
      collected.push(...id)
      const fields = selected(select)
      let key = `update ${fields.number}${names}`
      if (where) key += filterKey(where, columns(object), collected)
      const parts = {
        object,
        columns: columns(object),
        written,
        selected: fields.columns,
        where,
      }
      return call(
        shapeOf(key, collected.length, () => updateQuery(dialect, parts), fields.decode),
        collected,
      )
    },

    isFollowed(object, values) {
      return (
        dialect.words.rows !== undefined && object.index !== undefined && values[object.index.words.name] !== undefined
      )
    },

    afterWrite(object, rowId, values, isNew) {
      const { rows } = dialect.words
      if (!rows || !this.isFollowed(object, values)) return []
      const place: WordsPlace = {
        table: tableKey(object.table, dialect),
        column: keyOf(wordsColumn(object)),
        ids: keyColumns(object.id).map(keyOf),
        rows: tableKey(rows.table(object.table), dialect),
      }
      const ids = encodeId(object, rowId) ?? []
      const statement = (name: string, query: () => Writing): BoundStatement =>
        call(
          shapeOf(`${name} ${columns(object).number}`, ids.length, () => ({ query: query(), gives: 'changes' })),
          ids,
        )
      const remove = isNew ? [] : [statement('remove words', () => rows.remove(place))]
      const isEmpty = values[object.index?.words.name as string] === ''
      return isEmpty ? remove : [...remove, statement('add words', () => rows.add(place, true))]
    },

    delete(object, rowId, where) {
      const values = encodeId(object, rowId)
      if (values === undefined) return undefined
      let key = `delete ${columns(object).number}`
      if (where) key += filterKey(where, columns(object), values)
      const parts = { object, columns: columns(object), written: [], selected: [], where }
      return call(
        shapeOf(key, values.length, () => deleteQuery(dialect, parts)),
        values,
      )
    },
  }
}

function lockOf({ lock }: ReadOptions): 'change' | 'delete' | undefined {
  return lock === true || lock === 'unique' ? 'change' : lock || undefined
}

function call({ statement, slots }: Shape, values: unknown[]): BoundStatement {
  return { statement, values: slots ? slots.map((slot) => values[slot]) : values, rowId: undefined }
}

/** The columns to write, in the order of the given values, with what is bound to them. */
function collect(
  values: Values,
  writable: Columns['writable'],
): { collected: unknown[]; names: string; written: Column[] } {
  const collected: unknown[] = []
  const written: Column[] = []
  let names = ''
  for (const name of Object.keys(values)) {
    const value = values[name]
    if (value === undefined) continue
    const column = writable(name)
    if (column.parts) continue
    written.push(column)
    collected.push(column.encode(value))
    names += ` ${name}`
  }
  return { collected, names, written }
}

function pagingOf(limit: number | undefined, offset: number, { pageBeforeJoin }: Dialect): Paging {
  if (offset === 0) return limit === undefined ? 'all' : 'limit'
  return pageBeforeJoin === 'ids' && offset > farOffset ? 'far' : 'offset'
}

/** @param first Slot of the limit, if it is not part of the text; the offset follows. */
function pageOf(first: number, textLimit: number | undefined, hasOffset: boolean): Page {
  const inText = textLimit !== undefined
  const offset = hasOffset ? slot(inText ? first : first + 1) : undefined
  return { limit: inText ? textLimit : slot(first), offset, inText }
}

function noRecord(): never {
  throw new TypeError('This statement gives no records.')
}
