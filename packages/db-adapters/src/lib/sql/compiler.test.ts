import { createModel, type Filter } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../../../../tests/fuzz/any-character.js'
import { mysqlBuilder } from '../mysql/builder.js'
import { postgresqlBuilder } from '../postgresql/builder.js'
import { postgresqlDialect } from '../postgresql/store/dialect.js'
import { sqliteDialect } from '../sqlite/store/dialect.js'
import { createCompiler } from './compiler.js'
import type { Dialect } from './dialect.js'
import type { BoundStatement } from './statement.js'

const model = createModel([
  {
    name: 'Genre',
    fields: { code: { type: 'string', key: true }, above: { type: 'reference', object: 'Genre', display: ['code'] } },
  },
  {
    name: 'Movie',
    timestamps: false,
    fields: {
      title: { type: 'string', key: true },
      year: { type: 'integer' },
      seen: { type: 'boolean' },
      genre: { type: 'reference', object: 'Genre', display: ['code', 'above__code'] },
    },
  },
])
const movie = model.object('Movie')
const genre = model.object('Genre')
const select = movie.selection
const own = movie.select(['title', 'year'])

const postgresqlLike: Dialect = {
  ...sqliteDialect,
  builder: postgresqlBuilder,
  writes: 'cte',
  pageBeforeJoin: true,
  ...(postgresqlDialect.lock && { lock: postgresqlDialect.lock }),
}
const mysqlLike: Dialect = { ...sqliteDialect, builder: mysqlBuilder, writes: 'reread' }

/** Tables of the model, to see whether statements can be prepared. */
function openTables(): Database.Database {
  const database = new Database(':memory:')
  database.exec(`
    create table genre (row_id integer primary key, code text, above integer, created_dt text, created_by text, updated_dt text, updated_by text);
    create table movie (row_id integer primary key, title text, year integer, seen integer, genre integer)`)
  return database
}

describe('createCompiler() compiles a shape once', () => {
  const compiler = createCompiler(sqliteDialect)
  const same = (a: BoundStatement | undefined, b: BoundStatement | undefined): boolean =>
    a !== undefined && a.statement === b?.statement

  test('requests that differ in values only share their statement', () => {
    const where = (title: string, years: number[]): Filter => ({
      op: 'and',
      terms: [
        { op: 'like', field: 'title', pattern: title },
        { op: 'in', field: 'year', values: years },
        { op: '=', field: 'genre__above__code', value: title },
      ],
    })
    expect(same(compiler.get(movie, '1', { select }), compiler.get(movie, '2', { select }))).toBe(true)
    expect(
      same(
        compiler.get(movie, '1', { select, where: where('a', [1]) }),
        compiler.get(movie, '2', { select, where: where('b', [2]) }),
      ),
    ).toBe(true)
    const page = { select, order: movie.order, limit: 10 }
    expect(
      same(
        compiler.search(movie, { ...page, where: where('a', [1, 2, 3]) }),
        compiler.search(movie, { ...page, where: where('b', [1, 2, 3, 4]) }),
      ),
    ).toBe(true)
    expect(same(compiler.count(movie, where('a', [1])), compiler.count(movie, where('%b%', [9])))).toBe(true)
    const groups = { groups: [{ field: 'genre__code' }], values: [{ function: 'sum', field: 'year' }] } as const
    expect(
      same(
        compiler.aggregate(movie, { ...groups, where: where('a', [1]) }),
        compiler.aggregate(movie, { ...groups, where: where('b', [2]) }),
      ),
    ).toBe(true)
    expect(
      same(
        compiler.insert(movie, { title: 'a', year: 1 }, select),
        compiler.insert(movie, { title: 'b', year: null }, select),
      ),
    ).toBe(true)
    expect(
      same(
        compiler.update(movie, '1', { title: 'a' }, { select }),
        compiler.update(movie, '2', { title: '' }, { select }),
      ),
    ).toBe(true)
    expect(same(compiler.delete(movie, '1', where('a', [1])), compiler.delete(movie, '2', where('b', [1])))).toBe(true)
  })

  test('requests that differ in anything else do not', () => {
    const order = movie.order
    const text: Filter = { op: '=', field: 'title', value: 'a' }
    const calls: (BoundStatement | undefined)[] = [
      compiler.get(movie, '1', { select }),
      compiler.get(movie, '1', { select: own }),
      compiler.get(movie, '1', { select, lock: true }),
      compiler.get(movie, '1', { select, where: text }),
      compiler.get(genre, '1', { select: genre.selection }),
      compiler.search(movie, { select, order }),
      compiler.search(movie, { select, order, limit: 1 }),
      compiler.search(movie, { select, order, limit: 1, offset: 1 }),
      compiler.search(movie, { select, order: [{ field: 'year', descending: true }, ...order] }),
      compiler.search(movie, { select, order: [{ field: 'year', descending: false }, ...order] }),
      compiler.search(movie, { select, order, where: text }),
      compiler.search(movie, { select, order, where: { ...text, op: '<>' } }),
      compiler.search(movie, { select, order, where: { op: 'and', terms: [text, { op: 'or', terms: [text, text] }] } }),
      compiler.search(movie, { select, order, where: { op: 'and', terms: [{ op: 'or', terms: [text, text] }, text] } }),
      compiler.search(movie, { select, order, where: { op: 'or', terms: [text, text, text] } }),
      compiler.search(movie, { select, order, where: { op: 'in', field: 'year', values: [1, 2] } }),
      compiler.search(movie, { select, order, where: { op: 'in', field: 'year', values: [1, 2, 3] } }),
      compiler.search(movie, { select, order, where: { op: 'null', field: 'genre__above__code' } }),
      compiler.search(movie, { select, order, where: { op: 'null', field: 'genre__above__created_by' } }),
      compiler.search(movie, { select, order, where: { op: 'null', field: 'genre__above__above__created_by' } }),
      compiler.search(movie, { select: movie.select(['genre__above__created_by']), order }),
      compiler.count(movie, undefined),
      compiler.count(genre, undefined),
      compiler.aggregate(movie, { groups: [], values: [{ function: 'count' }] }),
      compiler.aggregate(movie, { groups: [], values: [{ function: 'count', field: 'year' }] }),
      compiler.aggregate(movie, { groups: [], values: [{ function: 'sum', field: 'year' }] }),
      compiler.aggregate(movie, { groups: [], values: [{ function: 'sum', field: 'year' }] }, true),
      compiler.aggregate(movie, { groups: [{ field: 'year' }], values: [{ function: 'count' }] }),
      compiler.aggregate(movie, { groups: [{ field: 'year' }], values: [{ function: 'count' }], limit: 5 }),
      compiler.aggregate(genre, { groups: [{ field: 'created_dt' }], values: [] }),
      compiler.aggregate(genre, { groups: [{ field: 'created_dt', by: 'year' }], values: [] }),
      compiler.aggregate(genre, { groups: [{ field: 'created_dt', by: 'month' }], values: [] }),
      compiler.insert(movie, { title: 'a' }, select),
      compiler.insert(movie, { title: 'a', year: 1 }, select),
      compiler.update(movie, '1', { title: 'a' }, { select }),
      compiler.update(movie, '1', { title: 'a' }, { select, where: text }),
      compiler.delete(movie, '1', undefined),
      compiler.delete(genre, '1', undefined),
    ]
    expect(new Set(calls.map((call) => call?.statement)).size).toBe(calls.length)
  })

  test('the cache is bounded, and an object of the same name in another model is another object', () => {
    const small = createCompiler(sqliteDialect, { shapes: 2 })
    const first = small.count(movie, undefined).statement
    expect(small.count(movie, undefined).statement).toBe(first)
    small.count(movie, { op: 'null', field: 'year' })
    small.count(movie, { op: 'null', field: 'title' })
    expect(small.count(movie, undefined).statement).not.toBe(first)

    const other = createModel([{ name: 'Movie', table: 'films', fields: { title: { type: 'string' } } }]).object(
      'Movie',
    )
    expect(compiler.count(other, undefined).statement.sql).toContain('films')
  })

  test('thousands of shapes that users invent are forgotten again, and what is used stays', () => {
    const small = createCompiler(sqliteDialect, { shapes: 10 })
    const names = ['title', 'year', 'genre__created_by', 'genre__above__created_by', 'genre__above__above__code']
    const ops = ['null', 'notNull'] as const
    const leaves = names.flatMap((field) => ops.map((op): Filter => ({ op, field })))
    const used = small.search(movie, { select, order: movie.order }).statement
    const first = leaves.flatMap((a) =>
      leaves.flatMap((b) => leaves.map((c): Filter => ({ op: 'or', terms: [a, { op: 'and', terms: [b, c] }] }))),
    )
    const statements = new Set(
      first.map((where) => {
        expect(small.search(movie, { select, order: movie.order }).statement).toBe(used)
        return small.count(movie, where).statement
      }),
    )
    expect(statements.size).toBe(1_000)
    const again = first.filter((where) => !statements.has(small.count(movie, where).statement))
    expect(again.length).toBeGreaterThanOrEqual(1_000 - 10)
  })

  test('a filter of a thousand terms is compiled for one use', () => {
    const terms = Array.from({ length: 1_000 }, (_, year): Filter => ({
      op: year % 2 ? '=' : '<',
      field: 'year',
      value: year,
    }))
    const call = compiler.count(movie, { op: 'or', terms })
    expect(call.statement.once).toBe(true)
    expect(compiler.count(movie, { op: 'or', terms }).statement).not.toBe(call.statement)
    const database = openTables()
    expect(database.prepare(call.statement.sql).pluck().get(call.values)).toBe(0)
    database.close()
  })
})

describe('createCompiler() writes', () => {
  test('a chain of references joined once, however many fields need it', () => {
    const where: Filter = { op: '=', field: 'genre__above__code', value: 'x' }
    const { sql } = createCompiler(sqliteDialect).search(movie, {
      select,
      where,
      order: [{ field: 'genre__code', descending: false }, ...movie.order],
    }).statement
    expect(sql.match(/left join/g)).toHaveLength(2)
  })

  test('no join where no joined field is asked for', () => {
    expect(createCompiler(sqliteDialect).get(movie, '1', { select: own })?.statement.sql).not.toContain('join')
  })

  test('the page before the join, when filter and order need own columns only', () => {
    const compiler = createCompiler(postgresqlLike)
    const page = { select, order: [{ field: 'year', descending: true }, ...movie.order], limit: 10, offset: 20 }
    expect(compiler.search(movie, page).statement.sql).toBe(
      'select cast("t0"."row_id" as text), "t0"."title", "t0"."year", "t0"."seen", cast("t0"."genre" as text), "x_j1"."code", "x_j2"."code" from ' +
        '(select "t0"."row_id", "t0"."title", "t0"."year", "t0"."seen", "t0"."genre" from "movie" as "t0" order by "t0"."year" desc, "t0"."row_id" limit $1 offset $2) as "t0" ' +
        'left join "genre" as "x_j1" on "x_j1"."row_id" = "t0"."genre" left join "genre" as "x_j2" on "x_j2"."row_id" = "x_j1"."above" order by "t0"."year" desc, "t0"."row_id"',
    )
    expect(compiler.search(movie, { ...page, select: own }).statement.sql).not.toContain('(select')
    expect(
      compiler.search(movie, { ...page, where: { op: '=', field: 'genre__code', value: 'x' } }).statement.sql,
    ).not.toContain('(select')
    expect(compiler.search(movie, { select, order: page.order }).statement.sql).not.toContain('(select')
  })

  test('the ids of the page first, where rows are skipped or sorted without an index', () => {
    const compiler = createCompiler(sqliteDialect)
    const byYear = { select, order: [{ field: 'year', descending: true }, ...movie.order], limit: 10 }
    const call = compiler.search(movie, { ...byYear, where: { op: '>', field: 'year', value: 1990 } })
    expect(call.values).toStrictEqual([1990, 10])
    expect(call.statement.sql).toMatch(
      / where `t0`\.`row_id` in \(select `t0`\.`row_id` from `movie` as `t0` where `t0`\.`year` > \? order by `t0`\.`year` desc, `t0`\.`row_id` limit \?\) order by `t0`\.`year` desc, `t0`\.`row_id`$/,
    )
    const whole = (query: Parameters<typeof compiler.search>[1]): boolean =>
      !compiler.search(movie, query).statement.sql.includes('(select')
    expect(whole({ select, order: movie.order, limit: 10 })).toBe(true)
    expect(whole({ ...byYear, order: [{ field: 'title', descending: false }, ...movie.order] })).toBe(true)
    expect(whole({ select, order: movie.order, limit: 10, offset: 10 })).toBe(true)
    expect(whole({ select, order: movie.order, limit: 10, offset: 1_000 })).toBe(false)
    expect(whole({ ...byYear, select: own })).toBe(true)
    expect(whole({ ...byYear, limit: undefined })).toBe(true)
  })

  test('one statement that writes and answers, where the database can', () => {
    const returning = createCompiler(sqliteDialect)
    expect(returning.insert(movie, { title: 'a' }, select).statement).toMatchObject({
      gives: 'records',
      sql: expect.stringContaining(' returning ') as string,
    })
    const cte = createCompiler(postgresqlLike)
    const insert = cte.insert(movie, { title: 'a', genre: '1' }, select).statement
    expect(insert.gives).toBe('records')
    expect(insert.sql).toMatch(
      /^with "t0" as \(insert into "movie" .* returning "row_id", "title", "year", "seen", "genre"\) select /,
    )
    // The row could be its own parent, and the statement sees the table as it was.
    expect(cte.update(genre, '1', { code: 'a' }, { select: genre.selection })?.statement.gives).toBe('id')
    const reread = createCompiler(mysqlLike)
    expect(reread.insert(movie, { title: 'a' }, select).statement).toMatchObject({
      gives: 'changes',
      sql: 'insert into `movie` (`title`) values (?)',
    })
  })

  test('conditions on linked objects into a subquery of updates and deletes', () => {
    const where: Filter = { op: '=', field: 'genre__code', value: 'x' }
    for (const dialect of [sqliteDialect, postgresqlLike, mysqlLike]) {
      const compiler = createCompiler(dialect)
      expect(compiler.delete(movie, '7', where)?.values).toStrictEqual([7, 7, 'x'])
      expect(compiler.update(movie, '7', { title: 'a', year: 1 }, { select, where })?.values).toStrictEqual([
        'a',
        1,
        7,
        7,
        'x',
      ])
    }
  })

  test('names of tables and columns that are hard to quote', () => {
    const names = ['a.b', 'x as y', 'what?', 'it`s', '"q"', "it's", 'select', 'ü', '\\', '$1', ' blank ']
    const fields = Object.fromEntries(names.map((column, at) => [`f${at}`, { type: 'string', column } as const]))
    const link = { type: 'reference', object: 'Odd', column: 'link?', display: ['f0', 'f2'] } as const
    const odd = createModel([
      { name: 'Odd', table: 'odd.table?`"', timestamps: false, fields: { ...fields, link } },
    ]).object('Odd')
    const database = new Database(':memory:')
    const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`
    database.exec(
      `create table ${quote(odd.table)} (row_id integer primary key, ${[...names, 'link?'].map(quote).join(', ')})`,
    )
    const compiler = createCompiler(sqliteDialect)
    const run = (call: BoundStatement | undefined): unknown =>
      call?.statement.decode(database.prepare(call.statement.sql).raw().get(call.values) as unknown[])
    const values = Object.fromEntries(names.map((name, at) => [`f${at}`, name]))
    const joined = { link__f0: 'a.b', link__f2: 'what?' }
    expect(run(compiler.insert(odd, { ...values, link: '1' }, odd.selection))).toStrictEqual({
      row_id: '1',
      ...values,
      link: '1',
      ...joined,
    })
    expect(run(compiler.update(odd, '1', { f2: '?' }, { select: odd.selection }))).toMatchObject({
      ...values,
      f2: '?',
      link__f2: '?',
    })
    const where: Filter = { op: 'and', terms: names.map((_, at) => ({ op: 'notNull', field: `f${at}` })) }
    expect(run(compiler.get(odd, '1', { select: odd.selection, where }))).toMatchObject({ f2: '?' })
    database.close()
    for (const dialect of [postgresqlLike, mysqlLike]) {
      const { sql } = createCompiler(dialect).insert(odd, { f2: 'a', f1: 'b' }, odd.select(['f2'])).statement
      expect(sql).toMatch(/^(with "t0" as \()?insert into ["`]odd\.table\?/)
      expect(sql).toMatch(/["`]what\?["`], ["`]x as y["`]\) values \((\$1, \$2|\?, \?)\)/)
    }
  })

  test('a lock at the end', () => {
    const sqlOf = (lock: true | 'delete') =>
      createCompiler(postgresqlLike).get(movie, '1', { select, lock })?.statement.sql
    expect(sqlOf(true)).toMatch(/ for no key update of "t0"$/)
    expect(sqlOf('delete')).toMatch(/ for update of "t0"$/)
  })

  test('a lock of its own where joined rows would be locked too, and only then', () => {
    const compiler = createCompiler({ ...postgresqlLike, locksJoined: true })
    const own = movie.select(['title'])
    expect(compiler.lock(movie, '1', { select, lock: true })?.statement.sql).toMatch(
      /^select [^,]+ from "movie" as "t0" where [^,]+ for no key update of "t0"$/,
    )
    expect(compiler.lock(movie, '1', { select: own, lock: true })).toBeUndefined()
    expect(compiler.lock(movie, '1', { select })).toBeUndefined()
    expect(createCompiler(postgresqlLike).lock(movie, '1', { select, lock: true })).toBeUndefined()
  })
})

describe('createCompiler() binds', () => {
  const compiler = createCompiler(sqliteDialect)

  test('values in the order of the placeholders, whatever the order of fields', () => {
    const value = (call: BoundStatement | undefined): unknown[] | undefined => call?.values
    expect(
      value(compiler.update(movie, '3', { year: 1, title: 'a', genre: '2', seen: true }, { select })),
    ).toStrictEqual([1, 'a', 2n, 1, 3])
    const insert = compiler.insert(movie, { year: 1, title: 'a', genre: '', seen: false }, select)
    const names = /\(([^)]+)\) values/.exec(insert.statement.sql)?.[1]?.replaceAll('`', '').split(', ')
    expect(Object.fromEntries((names ?? []).map((name, at) => [name, insert.values[at]]))).toStrictEqual({
      year: 1,
      title: 'a',
      genre: null,
      seen: 0,
    })
  })

  test('lists filled up to a power of two, limit and offset last', () => {
    const where: Filter = { op: 'notIn', field: 'year', values: [1, 2, 3, 4, 5] }
    expect(compiler.search(movie, { select, where, order: movie.order, limit: 10, offset: 20 }).values).toStrictEqual([
      1, 2, 3, 4, 5, 5, 5, 5, 10, 20,
    ])
    expect(compiler.search(movie, { select, order: movie.order, offset: 20 }).values).toStrictEqual([-1, 20])
  })

  test('nothing for row ids that cannot be', () => {
    for (const id of [
      '',
      'abc',
      '01',
      '1.0',
      '-0',
      ' 1',
      '1e3',
      'NaN',
      'Infinity',
      '9223372036854775808',
      '99999999999999999999',
    ]) {
      expect(compiler.get(movie, id, { select }), id).toBeUndefined()
      expect(compiler.update(movie, id, { title: 'a' }, { select }), id).toBeUndefined()
      expect(compiler.delete(movie, id, undefined), id).toBeUndefined()
    }
    expect(compiler.get(movie, '9223372036854775807', { select })?.values).toStrictEqual([9223372036854775807n])
    expect(compiler.get(movie, '-5', { select })?.values).toStrictEqual([-5])
  })

  test('refuses values that a column cannot hold, and more values than a statement takes', () => {
    expect(() => compiler.insert(movie, { genre: 'x' }, select)).toThrow(StoreError)
    expect(() => compiler.count(movie, { op: '=', field: 'row_id', value: '1e3' })).toThrow(StoreError)
    const values = Array.from({ length: 40_000 }, (_, year) => year)
    expect(() => compiler.count(movie, { op: 'in', field: 'year', values })).toThrow(/32766/)
    expect(() => compiler.insert(movie, { nothing: 1 }, select)).toThrow(/"Movie" has no field "nothing"/)
  })

  test('an id of its own making to rows with text ids', () => {
    const tag = createModel([
      {
        name: 'Tag',
        timestamps: false,
        fields: { row_id: { type: 'id', values: 'string' }, name: { type: 'string' } },
      },
    ]).object('Tag')
    const call = compiler.insert(tag, { name: 'a' }, tag.selection)
    expect(call.rowId).toMatch(/^[0-9a-f-]{36}$/)
    expect(call.values).toContain(call.rowId)
    expect(compiler.insert(tag, { name: 'a', row_id: 'own' }, tag.selection)).toMatchObject({ rowId: 'own' })
  })
})

test('only names of the model get into the text of a statement, whatever the values', () => {
  const compiler = createCompiler(sqliteDialect)
  const database = openTables()
  const value = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom("' or 1=1 --", '?', '$1', ':a', '\\', '`', '"', "'; drop table movie; --"),
  )
  const leaf = fc.oneof(
    fc.record({
      op: fc.constantFrom('=', '<>', '<', '>=') as fc.Arbitrary<'='>,
      field: fc.constantFrom('title', 'genre__code', 'genre__above__code'),
      value,
    }),
    fc.record({
      op: fc.constantFrom('like', 'notLike') as fc.Arbitrary<'like'>,
      field: fc.constantFrom('title', 'genre__code', 'year', 'row_id'),
      pattern: value,
    }),
    fc.record({
      op: fc.constantFrom('in', 'notIn') as fc.Arbitrary<'in'>,
      field: fc.constantFrom('title', 'genre__code'),
      values: fc.array(value, { maxLength: 9 }),
    }),
    fc.record({
      op: fc.constantFrom('null', 'notNull') as fc.Arbitrary<'null'>,
      field: fc.constantFrom('title', 'year', 'seen', 'genre'),
    }),
  ) as fc.Arbitrary<Filter>
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.record({
        op: fc.constantFrom('and' as const, 'or' as const),
        terms: fc.array(tie('filter'), { maxLength: 4 }),
      }),
    ),
  }))
  fc.assert(
    fc.property(filter, value, (where, title) => {
      const calls = [
        compiler.get(movie, '1', { select, where }),
        compiler.search(movie, { select, where, order: movie.order, limit: 2 }),
        compiler.count(movie, where),
        compiler.update(movie, '1', { title }, { select, where }),
        compiler.delete(movie, '1', where),
      ]
      for (const call of calls as BoundStatement[]) {
        const { sql } = call.statement
        expect(sql).toMatch(/^(select|update|delete) [\w\s`.,()<>=+*?'\\]*$/)
        expect(sql.match(/'[^']*'/g) ?? []).toSatisfy((literals: string[]) =>
          literals.every((literal) => ["''", "'\\'"].includes(literal)),
        )
        expect(sql.split('?').length - 1).toBe(call.values.length)
        database.prepare(sql).bind(...(call.values as []))
      }
    }),
    { numRuns: 1_000 },
  )
  database.close()
})

describe('createCompiler() guards linked rows', () => {
  const [reference] = movie.references
  const path = reference ? [reference] : []
  const guards = (code: string) => [{ path, where: { op: '=', field: 'code', value: code } as const }]
  const asked: Filter = { op: 'guarded', terms: [{ op: '>', field: 'genre__code', value: 'a' }] }
  const select = movie.select(['title', 'genre__code'])
  const query = { select, where: asked, order: [{ field: 'title', descending: false }] }

  test('in the join, so that filters, sorts and answers see no more', () => {
    const compiler = createCompiler(sqliteDialect)
    const { statement, values } = compiler.search(movie, { ...query, guards: guards('x') })
    expect(values).toStrictEqual(['x', 'a'])
    expect(statement.sql).toContain('left join `genre` as `x_j1` on `x_j1`.`row_id` = `t0`.`genre` and ')
    expect(compiler.search(movie, { ...query, guards: guards('y') }).statement).toBe(statement)
    openTables().prepare(statement.sql)
  })

  test('by a subquery where the guard itself needs joined rows, and apart from what rights may see', () => {
    const compiler = createCompiler(sqliteDialect)
    const where: Filter = { op: 'and', terms: [{ op: '=', field: 'genre__code', value: 'b' }, asked] }
    const joined = [{ path, where: { op: '=', field: 'above__code', value: 'x' } as const }]
    const { statement, values } = compiler.search(movie, { ...query, where, guards: joined })
    expect(values.toSorted()).toStrictEqual(['a', 'b', 'x'])
    expect(statement.sql).toContain('and exists (select 1 from `genre` as `x_g` left join `genre` as `x_g1` on ')
    expect(statement.sql.match(/left join `genre` as `x_j\d/g)).toHaveLength(2)
    openTables().prepare(statement.sql)
  })

  test('also where each linked value is looked up for the rows of a page', () => {
    const compiler = createCompiler({ ...sqliteDialect, pageBeforeJoin: 'lateral' })
    const where: Filter = { op: '=', field: 'title', value: 'b' }
    const page = { select: movie.select(['title', 'genre__code']), where, order: movie.order, limit: 5 }
    const { statement, values } = compiler.search(movie, { ...page, guards: guards('x') })
    expect(statement.sql).toContain(
      '(select `x_j0`.`code` from `genre` as `x_j0` where `x_j0`.`row_id` = `t0`.`genre` and `x_j0`.`code` = +? limit 1)',
    )
    expect(statement.sql).not.toContain('join')
    expect(values).toStrictEqual(['x', 'b', 5])
    openTables().prepare(statement.sql)
    const joined = { ...page, select: movie.select(['title', 'genre__code', 'genre__created_by']), guards: guards('x') }
    const lateral = compiler.search(movie, joined)
    expect(lateral.statement.sql).toMatch(
      /limit \?\) as `t0` left join lateral \(select .* and `x_l`.`code` = \+\? limit 1\)/,
    )
    expect(lateral.values).toStrictEqual(['b', 5, 'x'])
    expect(compiler.search(movie, { ...page, offset: 5 }).statement.sql).toContain('left join lateral')
    const far = { ...page, select: movie.select(['genre__above__code']) }
    expect(compiler.search(movie, far).statement.sql).toContain('left join lateral')
  })

  test('that are not needed cost nothing but their place in the key', () => {
    const compiler = createCompiler(sqliteDialect)
    const plain = compiler.get(movie, '1', { select: own })
    const guarded = compiler.get(movie, '1', { select: own, guards: guards('x') })
    expect(guarded?.statement.sql).toBe(plain?.statement.sql)
    expect(guarded?.values).toStrictEqual(plain?.values)
  })
})
