import { addKind, cloneKind } from '../instances/create.js'
import { startKind, stopKind } from '../instances/start-and-stop.js'
import type { OperationKind } from './operation.js'

const kinds: readonly OperationKind[] = [addKind, cloneKind, startKind, stopKind]

/** All kinds by name, for recovery. */
export const operationKinds: ReadonlyMap<string, OperationKind> = new Map(kinds.map((kind) => [kind.kind, kind]))
