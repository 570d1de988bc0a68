import type { ManagerContext } from '../context.js'
import { homeAt } from '../home.js'
import { createOperations } from '../operation/engine.js'
import { createLocks } from '../operation/locks.js'
import type { Caller, OperationKind } from '../operation/operation.js'
import { openRegistry } from '../store/registry.js'
import { crashAt } from './crash-point.js'
import { madeUpKind, type MadeUpRequest } from './made-up-operation.js'

/** What the program is told, as JSON in its one argument. */
export interface CrashOperation {
  readonly home: string
  /** It kills itself at that entry of the journal. */
  readonly at?: number | undefined
  /** The operation; undefined: recovery. */
  readonly request?: MadeUpRequest | undefined
}

const { home: folder, at, request } = JSON.parse(process.argv[2] as string) as CrashOperation
const home = homeAt(folder)
const clock = () => new Date()
// All that the engine and the made-up operation need: a whole manager takes longer to load.
const context = {
  home,
  clock,
  registry: openRegistry({ file: home.database }),
  locks: createLocks(home.locks),
} as ManagerContext
const { onPoint, report } = crashAt(at)
const kinds = new Map<string, OperationKind>([[madeUpKind.kind, madeUpKind]])
const operations = createOperations({ context: () => context, kinds: () => kinds, clock, onPoint })
const caller: Caller = { actor: 'crash', surface: 'cli' }
await report(async () => (request ? operations.run(madeUpKind, request, caller) : operations.recover(caller)))
context.registry.close()
