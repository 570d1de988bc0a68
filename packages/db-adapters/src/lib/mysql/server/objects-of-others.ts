import { DatabaseServerError } from '../../server/database-server.js'
import type { RunSql } from '../../server/sql-sessions.js'
import { quote } from '../quote.js'

/** A view that refers to something that is missing, with what the server says. */
export interface BrokenView {
  readonly name: string
  readonly reason: string
}

const routinesSql = `
  select routine_name as name, routine_type as kind, definer as definer from information_schema.routines
  where routine_schema = ? order by routine_type, routine_name`

/**
 * SQL that makes all functions and procedures; undefined when none belongs to another user, whose text the database's user
 * does not see, so that the program that dumps would end.
 *
 * @param run as who may make databases
 * @throws DatabaseServerError when not even that user sees a routine
 */
export async function routinesOf(run: RunSql, database: string, user: string): Promise<string | undefined> {
  const found = await run(routinesSql, [database])
  if (found.every(({ definer }) => String(definer).startsWith(`${user}@`))) return undefined
  const parts: string[] = []
  for (const { name, kind } of found) parts.push(await routineText(run, database, String(name), String(kind)))
  return parts.join('')
}

async function routineText(run: RunSql, database: string, name: string, kind: string): Promise<string> {
  const [row = {}] = await run(`show create ${kind.toLowerCase()} ${quote(database)}.${quote(name)}`)
  const text = Object.entries(row).find(([column]) => column.toLowerCase() === `create ${kind.toLowerCase()}`)?.[1]
  if (typeof text !== 'string')
    throw new DatabaseServerError(
      'ERR_FAILED',
      `Cannot dump the ${kind.toLowerCase()} "${name}" of "${database}", which belongs to another user: the administrator of the server may not read it.`,
    )
  let end = ';;'
  while (text.includes(end)) end += ';'
  const { sql_mode: mode, character_set_client: characters, collation_connection: collation } = row
  return [
    '/*!50003 SET @saved_sql_mode = @@sql_mode, @saved_cs_client = @@character_set_client, @saved_col_connection = @@collation_connection */ ;',
    `/*!50003 SET sql_mode = '${word(mode)}', character_set_client = ${word(characters)}, collation_connection = ${word(collation)} */ ;`,
    `DELIMITER ${end}`,
    `${text.replace(/^CREATE DEFINER=`(?:[^`]|``)*`@`(?:[^`]|``)*` /, 'CREATE ')} ${end}`,
    'DELIMITER ;',
    '/*!50003 SET sql_mode = @saved_sql_mode, character_set_client = @saved_cs_client, collation_connection = @saved_col_connection */ ;\n',
  ].join('\n')
}

/** Names of modes, character sets and collations. */
function word(value: unknown): string {
  return String(value).replace(/[^\w,]/g, '')
}

/**
 * Views at which the program that dumps would end.
 *
 * @param run in the database, as its user
 */
export async function brokenViewsIn(run: RunSql): Promise<BrokenView[]> {
  const views = await run('select table_name as name from information_schema.views where table_schema = database()')
  const broken: BrokenView[] = []
  for (const { name } of views) {
    try {
      await run(`show fields from ${quote(String(name))}`)
    } catch (error) {
      // 1356: View '%s' references invalid table(s) …, 1449: its definer does not exist, 1146: nor does its table
      if (![1356, 1449, 1146].includes((error as { errno?: number }).errno ?? 0)) throw error
      broken.push({ name: String(name), reason: (error as Error).message })
    }
  }
  return broken
}
