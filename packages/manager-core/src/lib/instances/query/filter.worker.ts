import { constants, DatabaseSync } from 'node:sqlite'
import { readFileSync } from 'node:fs'

/** What the process is given on its standard input. */
export interface FilterTask {
  readonly file: string
  /** Makes the temporary views and the table `fresh`. */
  readonly views: string
  /** Id, state and proof of instances that are not as the registry has them. */
  readonly fresh: readonly (readonly [id: string, observed: string, proved: string])[]
  /** Gives the ids. */
  readonly sql: string
  /** What it may read, and call. */
  readonly tables: readonly string[]
  readonly functions: readonly string[]
}

/** A process, because only that can be ended at any time; it imports nothing, so that it runs as source, too. */
function run({ file, views, fresh, sql, tables, functions }: FilterTask): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  database.exec(views)
  const insert = database.prepare('insert into temp.fresh (id, observed, proved) values (?, ?, ?)')
  for (const row of fresh) insert.run(...row)
  restrict(database, new Set(tables), new Set(functions))
  const statement = database.prepare(sql)
  if (statement.sourceSQL !== sql) throw new Error('it is more than one statement')
  return statement.all().map(({ id }) => String(id))
}

/** From here on only that can be read. Nodes before 24.10 do without: the condition was checked before. */
function restrict(database: DatabaseSync, tables: ReadonlySet<string>, functions: ReadonlySet<string>): void {
  if (typeof database.setAuthorizer !== 'function') return
  const { SQLITE_OK, SQLITE_DENY, SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION } = constants
  database.setAuthorizer((action, first, second) => {
    const isAllowed =
      action === SQLITE_SELECT ||
      (action === SQLITE_READ && tables.has(first ?? '')) ||
      (action === SQLITE_FUNCTION && functions.has(second ?? ''))
    return isAllowed ? SQLITE_OK : SQLITE_DENY
  })
}

/** Prints the ids as JSON, or `{"error":"…"}`. */
try {
  process.stdout.write(JSON.stringify(run(JSON.parse(readFileSync(0, 'utf8')) as FilterTask)))
} catch (error) {
  process.stdout.write(JSON.stringify({ error: (error as Error).message }))
}
