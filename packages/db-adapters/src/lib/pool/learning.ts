import type { Compiler } from '../sql/compiler.js'
import type { TableFacts } from '../sql/facts.js'
import type { ServerConnection } from './connection.js'

export type ReadFacts = (connection: ServerConnection) => Promise<TableFacts>

/**
 * Lets the compiler know the tables that the first connection finds. A failure costs plans only, not answers.
 *
 * @param open opens a connection, or makes one ready
 */
export function learning<A extends unknown[], C extends ServerConnection>(
  open: (...args: A) => Promise<C>,
  { compiler, readFacts }: { readonly compiler: Compiler; readonly readFacts: ReadFacts },
): (...args: A) => Promise<C> {
  let learnt = false
  return async (...args) => {
    const connection = await open(...args)
    if (learnt) return connection
    learnt = true
    try {
      compiler.learn(await readFacts(connection))
    } catch {
      // What waits for a lost connection hears of it from its own statement.
      learnt = false
    }
    return connection
  }
}
