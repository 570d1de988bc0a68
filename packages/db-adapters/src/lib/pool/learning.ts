import type { Compiler } from '../sql/compiler.js'
import type { TableFacts } from '../sql/facts.js'
import type { ServerConnection } from './connection.js'
import { ForeignPool, type Borrowed } from './foreign-pool.js'

export type ReadFacts = (connection: ServerConnection) => Promise<TableFacts>

/**
 * Lets the compiler know the tables that the first connection finds. A failure costs plans only, not answers.
 *
 * @param open opens or borrows a connection, which `connectionOf` finds in what it gives
 */
export function learning<T>(
  open: () => Promise<T>,
  connectionOf: (opened: T) => ServerConnection,
  compiler: Compiler,
  readFacts: ReadFacts,
): () => Promise<T> {
  let learnt = false
  return async () => {
    const opened = await open()
    if (learnt) return opened
    learnt = true
    try {
      compiler.learn(await readFacts(connectionOf(opened)))
    } catch {
      // What waits for a lost connection hears of it from its own statement.
      learnt = false
    }
    return opened
  }
}

/** The application's own pool, from which the compiler learns too. */
export function learningForeignPool<C extends ServerConnection>(
  borrow: () => Promise<Borrowed<C>>,
  { timeoutMs, max }: { readonly timeoutMs: number; readonly max: number | undefined },
  compiler: Compiler,
  readFacts: ReadFacts,
): ForeignPool<C> {
  return new ForeignPool(
    learning(borrow, ({ connection }) => connection, compiler, readFacts),
    timeoutMs,
    max,
  )
}
