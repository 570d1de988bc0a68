import type { Client, Driver, Result } from '../src/lib/oracle/store/driver.js'
import { literal, openH2, type H2Client, type H2Result } from './h2-client.js'

/**
 * The driver oracledb over H2 in its Oracle mode: what H2 cannot say is written otherwise, the data dictionary is built from
 * H2's, and errors get Oracle's numbers. H2 takes more than Oracle does, so that it shows what statements mean, and the
 * grammar shows whether they are Oracle's.
 */
export function h2Oracledb(url: string): Driver {
  return {
    OUT_FORMAT_ARRAY: 1,
    BIND_OUT: 2,
    STRING: 'string',
    CLOB: 'clob',
    DB_TYPE_NUMBER: 'number',
    DB_TYPE_CLOB: 'clob',
    DB_TYPE_NCLOB: 'nclob',
    DB_TYPE_BLOB: 'blob',
    BUFFER: 'buffer',
    getConnection: async () => connect(await openH2(url, 'Oracle', setUp)),
  }
}

interface OutBind {
  readonly dir: number
}

function connect(h2: H2Client): Client {
  let healthy = true
  const run = async (sql: string, attempts = 0): Promise<H2Result> => {
    try {
      return await h2.query(sql)
    } catch (error) {
      // Each connection that is opened makes the database speak PostgreSQL's SQL for a moment.
      if (attempts < 9 && /Unknown data type|Unexpected code path/.test((error as Error).message)) {
        await h2.query('set mode Oracle')
        return run(sql, attempts + 1)
      }
      const code = (error as { code?: string }).code
      if (code === undefined || code === '57P01') healthy = false
      throw oracleError(error as Error & { code?: string }, sql)
    }
  }
  let timeout = 0
  const client: Client = {
    callTimeout: 0,
    async execute(sql, binds, { autoCommit = false, resultSet = false }): Promise<Result> {
      if (sql.startsWith('alter session')) return {}
      if (sql.includes('nls_session_parameters')) return { metaData: [{ name: 'NAME' }, { name: 'VALUE' }], rows: [] }
      const limit = client.callTimeout
      const text = bound(rewrite(sql), binds)
      if (text === '') return {}
      if (limit !== timeout) await run(`set query_timeout ${limit}`)
      timeout = limit
      const { names, rows, count } = await run(text).catch(async (error: unknown) => {
        // What an update has deleted stays deleted in H2, when it is asked what it gives.
        if (autoCommit) await h2.query('rollback').catch(() => undefined)
        throw error
      })
      if (autoCommit) await run('commit')
      const outs = binds.filter((bind) => (bind as OutBind | null)?.dir !== undefined).length
      if (outs > 0) return { outBinds: Array.from({ length: outs }, (_, at) => rows.map((row) => row[at] ?? null)) }
      const metaData = names.map((name) => ({ name: name.toUpperCase() }))
      if (!resultSet) return { rows, metaData, rowsAffected: count }
      let at = 0
      return {
        metaData,
        resultSet: {
          getRows: (most) => Promise.resolve(rows.slice(at, (at += most))),
          close: () => Promise.resolve(),
        },
      }
    },
    createLob: () => Promise.resolve({ val: Buffer.of(), close: () => Promise.resolve() }),
    commit: async () => void (await run('commit')),
    rollback: async () => void (await run('rollback')),
    break: () => Promise.resolve(h2.cancel()),
    isHealthy: () => healthy,
    async close() {
      healthy = false
      await h2.query('rollback').catch(() => undefined)
      await h2.close()
    },
  }
  return client
}

/** `:1` by the values themselves; what follows `into` is gone by now. */
function bound(sql: string, binds: readonly unknown[]): string {
  return sql.replaceAll(/"[^"]*"|'[^']*'|:(\d+)/g, (found, place?: string) => {
    if (place === undefined) return found
    const bind = binds[Number(place) - 1]
    return literal(typeof bind === 'object' && bind !== null ? (bind as { val?: unknown }).val : bind)
  })
}

const place = String.raw`((?:"[^"]*"|\w+|\.)+)`

const words = new RegExp(
  String.raw`, json_table\('\["' \|\| replace\(${place}, ' ', '","'\) \|\| '"\]', '\$\[\*\]' columns \(place for ordinality, word varchar2\(\d+ char\) path '\$'\)\) x_words`,
)

type Write = (args: readonly string[]) => string

/** Functions that H2 does not have, or where it errs. */
const functions: Readonly<Record<string, Write>> = {
  'dbms_lob.substr': ([text = '', count = '', from = '']) =>
    `cast(substring(${text} from ${from} for ${count}) as varchar)`,
  'dbms_lob.compare': ([a = '', b = '']) =>
    `(case when ${a} = ${b} then 0 when ${a} < ${b} then -1 when ${a} > ${b} then 1 end)`,
  'dbms_lob.getlength': ([text = '']) => `length(${text})`,
  to_clob: ([text = '']) => `cast(${text} as clob)`,
  to_number: ([text = '']) => `cast(${text} as decfloat(60))`,
  to_dsinterval: ([text = '']) => `cast(${text} as interval day to second)`,
  // `12:00:00` would be midnight.
  to_date: ([text = '', format = '']) => `cast(${text} as ${format.includes('HH24') ? 'timestamp(0)' : 'date'})`,
  to_timestamp: ([text = '']) => `cast(${text} as timestamp(0))`,
}

const partsOfCalls = new RegExp(
  String.raw`'[^']*'|"[^"]*"|\b(${Object.keys(functions)
    .map((name) => name.replace('.', String.raw`\.`))
    .join('|')})\(|[(),]`,
  'g',
)

/** Writes the calls of all `functions` in their other form, inner calls first, in one pass: statements may have thousands of calls. */
function replaceCalls(sql: string): string {
  // The parentheses that are open at a place, around them the whole statement.
  const open: { readonly write: Write | undefined; readonly args: string[]; text: string }[] = []
  let current: (typeof open)[number] = { write: undefined, args: [], text: '' }
  let end = 0
  for (const found of sql.matchAll(partsOfCalls)) {
    const [part, name] = found
    current.text += sql.slice(end, found.index)
    end = found.index + part.length
    const outer = open.at(-1)
    if (part.endsWith('(')) {
      open.push(current)
      current = { write: name === undefined ? undefined : functions[name], args: [], text: '' }
    } else if (part === ',' && current.write) {
      current.args.push(current.text.trim())
      current.text = ''
    } else if (part === ')' && outer) {
      const { write, args, text } = current
      outer.text += write ? write([...args, text.trim()]) : `(${text})`
      current = outer
      open.pop()
    } else current.text += part
  }
  return current.text + sql.slice(end)
}

function rewrite(sql: string): string {
  let text = sql
  const split = words.exec(text)
  if (split) {
    const column = split[1]
    text = text
      .replace(
        words,
        ` join system_range(1, 10000) x_words on x_words."X" <= length(${column}) - length(replace(${column}, ' ', '')) + 1`,
      )
      .replace('x_words.place', 'x_words."X"')
      .replace('x_words.word', `regexp_substr(${column}, '[^ ]+', 1, cast(x_words."X" as int))`)
  }
  if (text === 'set transaction read only') return 'set session characteristics as transaction isolation level snapshot'
  if (text === 'set constraints all deferred') return ''
  text = replaceCalls(text)
    .replaceAll(/ for update wait \d+/g, ' for update')
    .replaceAll(' deferrable initially immediate', '')
    .replace(/ drop column ("[^"]*") cascade constraints$/, ' drop column $1')
    .replace(/^(drop table .*) purge$/, '$1 cascade')
    .replace(/^(alter table .*) rename column (.*) to (.*)$/, '$1 alter column $2 rename to $3')
    .replace(/^(alter table .*) modify \(("[^"]*") generated by default as identity .*$/, nextId)
    .replace(/^(alter table .*) modify \(("[^"]*") (.*)\)$/, '$1 alter column $2 set data type $3')
  // H2's dates are moments in this mode; the digits of a second show the dictionary which was meant.
  // It sends a BLOB as if it were a text.
  if (/^(?:create|alter) table/.test(text))
    text = text.replaceAll(/(" )date\b/g, '$1timestamp(1)').replaceAll(/(" )blob\b/g, '$1varbinary(1000000)')
  return answering(text)
}

function nextId(_: string, table: string, column: string): string {
  const name = table.replace(/^alter table /, '')
  return `${table} alter column ${column} restart with (select coalesce(max(${column}), 0) + 1 from ${name})`
}

/** `… returning … into …` */
function answering(sql: string): string {
  const found = /^((?:insert into|update) .*) returning (.*) into [:\d, ]+$/s.exec(sql)
  if (!found) return sql
  const [, write = '', reads = ''] = found
  return `select ${reads} from final table (${write})`
}

/** Oracle's data dictionary, as far as it is read. */
const dictionary: Readonly<Record<string, string>> = {
  user_tables: `select table_name, 'NO' as nested, 'N' as secondary from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`,
  user_tab_comments: `select table_name, case table_type when 'VIEW' then 'VIEW' else 'TABLE' end as table_type, remarks as comments
    from information_schema.tables where table_schema = 'public'`,
  user_col_comments: `select table_name, column_name, remarks as comments
    from information_schema.columns where table_schema = 'public'`,
  user_views: `select table_name as view_name from information_schema.tables
    where table_schema = 'public' and table_type = 'VIEW'`,
  user_tab_cols: `select table_name, column_name, ordinal_position as column_id, 'NO' as hidden_column,
      case data_type when 'character varying' then 'VARCHAR2' when 'character' then 'CHAR'
        when 'character large object' then 'CLOB' when 'binary varying' then 'BLOB' when 'numeric' then 'NUMBER' when 'interval' then 'INTERVAL DAY(1) TO SECOND(0)'
        when 'timestamp' then case datetime_precision when 1 then 'DATE' else 'TIMESTAMP(' || datetime_precision || ')' end
        else upper(data_type) end as data_type,
      character_maximum_length as char_length, numeric_precision as data_precision, numeric_scale as data_scale,
      case is_nullable when 'YES' then 'Y' else 'N' end as nullable, length(column_default) as default_length,
      is_identity as identity_column, case is_generated when 'ALWAYS' then 'YES' else 'NO' end as virtual_column
    from information_schema.columns where table_schema = 'public'`,
  user_tab_identity_cols: `select table_name, column_name from information_schema.columns
    where table_schema = 'public' and is_identity = 'YES'`,
  user_constraints: `select t.table_name, t.constraint_name, t.index_name,
      case t.constraint_type when 'PRIMARY KEY' then 'P' when 'UNIQUE' then 'U' when 'FOREIGN KEY' then 'R' else 'C' end as constraint_type,
      r.unique_constraint_name as r_constraint_name, case r.delete_rule when 'RESTRICT' then 'NO ACTION' else r.delete_rule end as delete_rule
    from information_schema.table_constraints t
      left join information_schema.referential_constraints r on r.constraint_name = t.constraint_name
    where t.table_schema = 'public'`,
  user_cons_columns: `select table_name, constraint_name, column_name, ordinal_position as position
    from information_schema.key_column_usage where table_schema = 'public'`,
  user_indexes: `select table_name, index_name, 'NORMAL' as index_type,
      case when index_type_name like 'UNIQUE%' or index_type_name like 'PRIMARY%' then 'UNIQUE' else 'NONUNIQUE' end as uniqueness
    from information_schema.indexes where table_schema = 'public'
      and not exists (select 1 from information_schema.table_constraints c
        where c.index_name = indexes.index_name and c.constraint_type = 'FOREIGN KEY' and indexes.is_generated)`,
  user_ind_columns: `select table_name, index_name, column_name, ordinal_position as column_position
    from information_schema.index_columns where table_schema = 'public'`,
  // Views of H2 take no writes.
  user_updatable_columns: `select 'none' as table_name, 'none' as column_name, 'NO' as updatable, 'NO' as insertable,
      'NO' as deletable from dual where 1 = 0`,
  user_triggers: `select 'none' as table_name, 'none' as trigger_type from dual where 1 = 0`,
  all_tables: `select 'nobody' as owner, 'none' as table_name from dual where 1 = 0`,
  all_users: `select 'nobody' as username, 'N' as oracle_maintained from dual where 1 = 0`,
}

const setUp = [
  // It is gone with `shutdown`, not with its last connection.
  'set db_close_delay -1',
  'set autocommit false',
  'set lock_timeout 10000',
  'create schema if not exists dict',
  ...Object.entries(dictionary).map(([name, sql]) => `create view if not exists dict.${name} as ${sql}`),
  'commit',
  'set schema_search_path public, dict',
]

/** SQLSTATEs of H2. */
const numbers: Readonly<Record<string, number>> = {
  '23505': 1,
  '23506': 2291,
  '23503': 2292,
  '23502': 1400,
  '23513': 2290,
  '22001': 12899,
  '22003': 1438,
  '22018': 1722,
  '22007': 1861,
  '42102': 942,
  '42103': 942,
  '42104': 942,
  '42S02': 942,
  '42S03': 942,
  '42S04': 942,
  '42122': 904,
  '42S22': 904,
  '57014': 1013,
  HYT00: 30006,
  '40001': 60,
}

function oracleError(error: Error & { code?: string }, sql: string): Error {
  const { code = '', message } = error
  const number = numbers[code]
  if (number === undefined)
    return Object.assign(new Error(`${message} [${code}] in: ${sql}`), { code: code === '' ? 'NJS-500' : 'H2' })
  return Object.assign(new Error(`ORA-${String(number).padStart(5, '0')}: ${described(message)}`), {
    code: `ORA-${String(number).padStart(5, '0')}`,
    errorNum: number,
  })
}

/** Names of columns and constraints where Oracle's messages have them. */
function described(message: string): string {
  const [, constraint] = /"(?:public\.)?([\w-]+)(?: ON | INDEX |:)/i.exec(message) ?? []
  const [, column] = /column "(?:"?public"?\.)?"?(\w+)/i.exec(message) ?? []
  if (constraint !== undefined) return `constraint (SYSTEM.${constraint}) violated; ${message}`
  return column === undefined ? message : `"SYSTEM"."TABLE"."${column}": ${message}`
}
