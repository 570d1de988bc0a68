import type { OperationKind } from './operation.js'

/** All kinds by name, for recovery. */
export const operationKinds: ReadonlyMap<string, OperationKind> = new Map()
