import { StoreError } from '@steward/rest-core/errors'
import type { Change } from '../../schema/changes.js'
import type { SchemaConnection, SchemaRow, SchemaValue } from '../../schema/connection.js'
import type { ScriptStatement } from '../../schema/dialect.js'
import { flag, text } from '../../schema/rows.js'
import { loadDriver } from '../store/driver.js'

/** A schema connection that is given the changes its next statements belong to. */
export interface RecordingConnection extends SchemaConnection {
  belongsTo(changes: readonly Change[]): void
}

/**
 * The statements that `work` runs, on a database in memory with the schema of this one and no rows: the later ones depend
 * on the result of the earlier ones.
 */
export async function recordScript(
  connection: SchemaConnection,
  work: (recording: RecordingConnection) => Promise<void>,
): Promise<ScriptStatement[]> {
  const copy = new (await loadDriver())(':memory:')
  try {
    copy.pragma('foreign_keys = off')
    for (const { name, sql, needed } of await schemaOf(connection)) {
      try {
        copy.exec(sql)
      } catch (cause) {
        // Modules and functions of the owner's program are not there.
        if (needed)
          throw new StoreError('schema', `Cannot write a script: "${name}" cannot be copied: ${String(cause)}`)
      }
    }
    const statements: ScriptStatement[] = []
    let current: readonly Change[] = []
    await work({
      rows: async (sql, bindings = []) => copy.prepare<unknown[], SchemaRow>(sql).safeIntegers().all(bindings),
      async run(sql, bindings = []) {
        copy.exec(withValues(sql, bindings))
        statements.push({ sql: withValues(sql, bindings), changes: current })
      },
      belongsTo(changes) {
        current = changes
      },
    })
    return statements
  } finally {
    copy.close()
  }
}

/** Without what SQLite makes by itself. Tables first: the others are about them. No step is about a view or a virtual table. */
async function schemaOf(connection: SchemaConnection): Promise<{ name: string; sql: string; needed: boolean }[]> {
  const rows = await connection.rows(`
    select name, sql, type <> 'view' and sql not like 'create virtual %' as needed from sqlite_master
    where sql is not null and name not like 'sqlite\\_%' escape '\\'
      and name not in (select name from pragma_table_list where schema = 'main' and type = 'shadow')
    order by type <> 'table', type = 'trigger', rowid`)
  return rows.map((row) => ({ name: text(row, 'name'), sql: text(row, 'sql'), needed: flag(row, 'needed') }))
}

/** Bound values as literals. The statements of schema work have no `?` in names or texts. */
function withValues(sql: string, bindings: readonly SchemaValue[]): string {
  if (bindings.length === 0) return sql
  let at = 0
  return sql.replaceAll('?', () => literal(bindings[at++] ?? null))
}

function literal(value: SchemaValue): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}
