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

interface ForeignConfig<P> {
  /** The application's own pool. Undefined: the store has one of its own. */
  readonly foreign: P | undefined
  readonly pool: { readonly acquireTimeoutMs: number }
}

interface ForeignPoolParts<P, G, C> {
  borrow(pool: P, config: G): Promise<Borrowed<C>>
  sizeOfPool(pool: P): number | undefined
  readonly compiler: Compiler
  readonly readFacts: ReadFacts
}

/** The application's own pool, if it gave one; the compiler learns from it, too. */
export function learningForeignPool<P extends object, G extends ForeignConfig<P>, C extends ServerConnection>(
  config: G,
  { borrow, sizeOfPool, compiler, readFacts }: ForeignPoolParts<P, G, C>,
): ForeignPool<C> | undefined {
  const { foreign, pool } = config
  if (!foreign) return undefined
  return new ForeignPool(
    learning(
      () => borrow(foreign, config),
      ({ connection }) => connection,
      compiler,
      readFacts,
    ),
    pool.acquireTimeoutMs,
    sizeOfPool(foreign),
  )
}
