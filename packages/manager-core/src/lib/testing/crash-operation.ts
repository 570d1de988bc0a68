import type { OperationKind } from '../context.js'
import type { Caller } from '../domain/caller.js'
import { fullGrant } from '../domain/grant.js'
import { createOperations } from '../operation/engine.js'
import { crashAt } from './crash-point.js'
import { leastContext } from './least-context.js'
import { madeUpKind, type MadeUpRequest } from './made-up-operation.js'

/** Input of the program, as JSON in its one argument. */
export interface CrashOperation {
  readonly home: string
  /** It kills itself at that entry of the journal. */
  readonly at?: number | undefined
  /** The operation; undefined: recovery. */
  readonly request?: MadeUpRequest | undefined
}

const { home, at, request } = JSON.parse(process.argv[2] as string) as CrashOperation
const context = leastContext(home)
const { onPoint, report } = crashAt(at)
const kinds = new Map<string, OperationKind>([[madeUpKind.kind, madeUpKind]])
const operations = createOperations({ context: () => context, kinds: () => kinds, clock: context.clock, onPoint })
const caller: Caller = { actor: 'crash', surface: 'cli', grant: fullGrant }
await report(async () => (request ? operations.run(madeUpKind, request, caller) : operations.recover(caller)))
context.registry.close()
