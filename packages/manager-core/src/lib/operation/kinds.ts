import { addKind, cloneKind } from '../instances/create.js'
import type { OperationKind } from './operation.js'

const kinds: readonly OperationKind[] = [addKind, cloneKind]

/** All kinds by name, for recovery. */
export const operationKinds: ReadonlyMap<string, OperationKind> = new Map(kinds.map((kind) => [kind.kind, kind]))
