import type { SchemaConnection, SchemaRow, SchemaValue } from '../../schema/connection.js'
import type { SqliteConnection } from './connection.js'
import { retryWhileBusy } from './retry-while-busy.js'

/** The connection as schema work wants it. */
export function createSchemaConnection({ raw }: SqliteConnection, busyTimeoutMs: number): SchemaConnection {
  function all(sql: string, bindings: readonly SchemaValue[]): Promise<SchemaRow[]> {
    return retryWhileBusy(busyTimeoutMs, 'change or read the schema', () => {
      const statement = raw.prepare<unknown[], SchemaRow>(sql)
      if (statement.reader) return statement.safeIntegers().all(bindings)
      statement.run(bindings)
      return []
    })
  }

  return {
    rows: (sql, bindings = []) => all(sql, bindings),
    async run(sql, bindings = []) {
      await all(sql, bindings)
    },
  }
}
