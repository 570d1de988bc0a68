import { createRandom } from '../../rest-core/src/lib/testing/random.js'
import { mysqlTypes, postgresqlTypes, sqliteTypes, type EdgeType, type OpenKind } from './edge-types.js'

export type EdgeDatabase = 'sqlite' | 'postgresql' | 'mysql'

/** Values of these kinds are left out unless a test asks for them. */
export const openKinds: ReadonlySet<OpenKind> = new Set()

/** A table with one column type, three times: `c` may be NULL, `n` may not, `d` may not and has a default. */
export interface EdgeTable {
  readonly type: EdgeType
  readonly table: string
  /** Columns beside `id`. */
  readonly columns: readonly string[]
  /** Statements that make and fill it: rows from 1 on with a value each, the last one with NULL in `c`. */
  readonly statements: readonly string[]
  readonly rows: number
}

/** Tables whose keys have odd values, each with a table `<name>_ref` whose column `k` refers to every row of it. */
export interface EdgeKeyTable {
  readonly type: EdgeType
  readonly table: string
  readonly statements: readonly string[]
  readonly rows: number
}

export interface EdgeOptions {
  readonly seed: number
  /** Random values per type. Default 2. */
  readonly random?: number
  /** Kinds that are left out. Default `openKinds`. */
  readonly without?: ReadonlySet<OpenKind>
}

const typesOf: Readonly<Record<EdgeDatabase, readonly EdgeType[]>> = {
  sqlite: sqliteTypes,
  postgresql: postgresqlTypes,
  mysql: mysqlTypes,
}

/** One table for each type of a database; the same seed gives the same values. Statements go to a session of `prepare`. */
export function edgeTables(database: EdgeDatabase, options: EdgeOptions): EdgeTable[] {
  return typesOf[database].flatMap((type, at) => {
    const values = valuesOf(type, at, options)
    return values.length === 0 ? [] : [tableOf(database, type, values)]
  })
}

export function edgeKeyTables(database: EdgeDatabase): EdgeKeyTable[] {
  return typesOf[database].flatMap((type) => {
    const { keys = [], before = [], name } = type
    if (keys.length === 0) return []
    const table = `k_${name}`
    const rows = keys.map((key, at) => `insert into ${table} values (${key}, 'row ${at + 1}')`)
    const references = keys.map((key, at) => `insert into ${table}_ref values (${at + 1}, ${key}, 'child ${at + 1}')`)
    return [
      {
        type,
        table,
        rows: keys.length,
        statements: [
          ...before,
          `create table ${table} (c ${type.type} not null, note varchar(50), primary key (c))`,
          `create table ${table}_ref (id integer not null, k ${type.type}, note varchar(50), primary key (id), foreign key (k) references ${table} (c))`,
          ...rows,
          ...references,
        ],
      },
    ]
  })
}

function valuesOf(type: EdgeType, at: number, { seed, random = 2, without = openKinds }: EdgeOptions): string[] {
  const choice = createRandom(seed + at)
  const open = Object.entries(type.open ?? {}).flatMap(([kind, values]) =>
    without.has(kind as OpenKind) ? [] : values,
  )
  const { random: make } = type
  return [...type.values, ...open, ...(make ? Array.from({ length: random }, () => make(choice)) : [])]
}

function tableOf(database: EdgeDatabase, type: EdgeType, values: readonly string[]): EdgeTable {
  const table = `e_${type.name}`
  const columns = type.noDefault ? ['c', 'n'] : ['c', 'n', 'd']
  const [first = 'null'] = values
  // MySQL takes defaults of long types as expressions only.
  const initial = database === 'sqlite' || database === 'mysql' ? `(${first})` : first
  const rows = [
    ...values.map((value) => columns.map(() => value)),
    columns.map((column) => (column === 'c' ? 'null' : first)),
  ]
  return {
    type,
    table,
    columns,
    rows: rows.length,
    statements: [
      ...(type.before ?? []),
      `create table ${table} (id integer not null primary key, c ${type.type} null, n ${type.type} not null${
        type.noDefault ? '' : `, d ${type.type} default ${initial} not null`
      })`,
      `insert into ${table} (id, ${columns.join(', ')}) values ${rows
        .map((row, at) => `(${at + 1}, ${row.join(', ')})`)
        .join(', ')}`,
    ],
  }
}

/** For a session that fills the tables and reads their texts. */
export function prepare(database: EdgeDatabase): readonly string[] {
  if (database === 'postgresql')
    return ["set datestyle = 'ISO, YMD'", "set timezone = 'UTC'", "set intervalstyle = 'postgres'"]
  // Values that only lenient sessions store: days that are none, values of an enum that are none.
  return database === 'mysql' ? ["set sql_mode = ''", "set time_zone = '+00:00'"] : []
}

/** Statements of several tables; types that some of them share are made once. */
export function statementsOf(tables: readonly { readonly statements: readonly string[] }[]): string[] {
  return [...new Set(tables.flatMap(({ statements }) => statements))]
}

/** SQL for the exact text of a column, as the database itself has it; NULL where the column is NULL. */
export function exactText(database: EdgeDatabase, column: string, { type }: EdgeType): string {
  switch (database) {
    case 'sqlite':
      // The bytes of a text: `quote` would end at a NUL.
      return `case when ${column} is null then null when typeof(${column}) in ('text', 'blob') then typeof(${column}) || ' ' || hex(${column}) else typeof(${column}) || ' ' || quote(${column}) end`
    case 'postgresql':
      return `${column}::text`
    case 'mysql':
      // A float as text has 6 digits, as a double all of them.
      if (type.startsWith('float')) return `cast(cast(${column} as double) as char)`
      return /^(?:bit|geometry|point)/.test(type) ? `hex(${column})` : `hex(cast(${column} as binary))`
  }
}
