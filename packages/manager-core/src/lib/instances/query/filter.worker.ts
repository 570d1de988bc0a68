import { constants, DatabaseSync } from 'node:sqlite'
import { readFileSync } from 'node:fs'
import { allowedFunctions, filterSql, readableTables, viewsSql } from './views.js'

/** What the process is given on its standard input. */
export interface FilterTask {
  readonly file: string
  readonly where: string
  /** Id and state of instances that are not as the registry has them. */
  readonly fresh: readonly (readonly [id: string, observed: string])[]
}

/** Prints the ids as JSON; or, with exit code 1, `{"error":"…"}`. A process, because only that can be ended at any time. */
function run({ file, where, fresh }: FilterTask): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  database.exec(viewsSql)
  const insert = database.prepare('insert into temp.fresh (id, observed) values (?, ?)')
  for (const [id, observed] of fresh) insert.run(id, observed)
  restrict(database)
  const sql = filterSql(where)
  const statement = database.prepare(sql)
  if (statement.sourceSQL !== sql) throw new Error('it is more than one statement')
  return statement.all().map(({ id }) => String(id))
}

/** From here on only those views can be read. Nodes before 24.10 do without: the clause was checked before. */
function restrict(database: DatabaseSync): void {
  if (typeof database.setAuthorizer !== 'function') return
  const { SQLITE_OK, SQLITE_DENY, SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION } = constants
  const tables = new Set<string | null>([...readableTables, 'i', 'v', 'r'])
  database.setAuthorizer((action, first, second) => {
    if (action === SQLITE_SELECT) return SQLITE_OK
    if (action === SQLITE_READ) return tables.has(first) ? SQLITE_OK : SQLITE_DENY
    if (action === SQLITE_FUNCTION) return allowedFunctions.has(second ?? '') ? SQLITE_OK : SQLITE_DENY
    return SQLITE_DENY
  })
}

try {
  process.stdout.write(JSON.stringify(run(JSON.parse(readFileSync(0, 'utf8')) as FilterTask)))
} catch (error) {
  process.stdout.write(JSON.stringify({ error: (error as Error).message }))
  process.exitCode = 1
}
