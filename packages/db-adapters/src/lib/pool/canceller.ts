import type { ServerConnection } from './connection.js'

/** Asks the server to end the statement that runs on a connection; tries, and never rejects. */
export type Cancel<C> = (connection: C) => Promise<void>

/**
 * By a connection of its own, because all others may be in use; one at a time.
 *
 * @param open Opens a connection.
 */
export function createCanceller<C extends ServerConnection>(
  open: () => Promise<C>,
  statement: (connection: C) => string,
): Cancel<C> {
  let last = Promise.resolve()
  return (connection) => {
    const sql = statement(connection)
    last = last.then(() => run(sql)).catch(() => {}) // The time limit of statements is left.
    return last
  }

  async function run(sql: string): Promise<void> {
    const other = await open()
    try {
      await other.run(sql)
    } finally {
      await other.close()
    }
  }
}
