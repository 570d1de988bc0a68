import type { Compiler } from '../sql/compiler.js'
import type { TableFacts } from '../sql/facts.js'
import type { ServerConnection } from './connection.js'

export type ReadFacts = (connection: ServerConnection) => Promise<TableFacts>

/** Lets the compiler know the tables that the first connection finds. A failure costs plans only, not answers. */
export function learning<C extends ServerConnection>(
  open: () => Promise<C>,
  compiler: Compiler,
  readFacts: ReadFacts,
): () => Promise<C> {
  let learnt = false
  return async () => {
    const connection = await open()
    if (learnt) return connection
    learnt = true
    try {
      compiler.learn(await readFacts(connection))
    } catch (error) {
      learnt = false
      if (!connection.usable) throw error
    }
    return connection
  }
}
