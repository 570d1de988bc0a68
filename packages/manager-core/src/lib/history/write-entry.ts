import type { Caller } from '../domain/caller.js'
import type { Json } from '../domain/json.js'
import type { HistoryEntry, Registry, RegistryWriter } from '../store/registry.js'

/** What history is written with. */
export interface HistoryContext {
  readonly registry: Registry
  readonly clock: () => Date
}

/** Who called, and from where. */
export type HistoryCaller = Pick<Caller, 'actor' | 'surface' | 'address' | 'entries'>

/** What is written about a call. */
export interface NewEntry {
  /** ISO 8601: when it started. */
  readonly at: string
  readonly action: string
  /** Default: none, it is about the whole manager. */
  readonly instance?: { readonly id: string; readonly name: string } | undefined
  /** Without secrets. Default: none. */
  readonly parameters?: Json | undefined
  readonly result: HistoryEntry['result']
  readonly message: string
  /** Id of the operation. Default: none. */
  readonly operation?: string
  /** In ms. Default: 0. */
  readonly duration?: number
}

/** Longer messages are cut. Those of operations are not: people need all of them for a repair. */
const maxMessage = 1000

/** Writes an entry in a transaction of the caller's. All history is written here. */
export function writeEntry(writer: RegistryWriter, caller: HistoryCaller, entry: NewEntry): void {
  const { at, action, instance, parameters = {}, result, message, operation = '', duration = 0 } = entry
  writer.addHistory({
    at,
    actor: caller.actor,
    surface: caller.surface,
    address: caller.address,
    action,
    instanceId: instance?.id ?? '',
    instance: instance?.name ?? '',
    parameters,
    result,
    message: operation === '' ? message.slice(0, maxMessage) : message,
    operation,
    duration,
  })
  if (caller.entries) caller.entries.isWritten = true
}
