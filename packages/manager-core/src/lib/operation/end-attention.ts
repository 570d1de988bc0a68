import type { Caller } from '../domain/caller.js'
import { writeEntry } from '../history/write-entry.js'
import type { Journal, JournalEntry } from '../store/journal.js'
import type { RegistryWriter } from '../store/registry.js'

/** Ends an operation that needs attention, as things are; in a transaction, with an entry in the history. */
export function endAttention(
  { id, instanceId, instance, message }: JournalEntry,
  { why, journal, writer, caller, clock }: EndAttentionOptions,
): void {
  journal.setState(id, 'rolled_back', `${why} ${message}`)
  writer.releasePorts(id)
  writeEntry(writer, caller, {
    at: clock().toISOString(),
    action: 'giveup',
    instance: { id: instanceId, name: instance },
    parameters: { operation: id },
    result: 'ok',
    message,
    operation: id,
  })
}

interface EndAttentionOptions {
  /** A sentence. */
  readonly why: string
  readonly journal: Journal
  readonly writer: RegistryWriter
  readonly caller: Caller
  readonly clock: () => Date
}
