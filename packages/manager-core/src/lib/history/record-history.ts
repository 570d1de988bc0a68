import type { Json } from '../domain/json.js'
import { writeEntry, type HistoryCaller, type HistoryContext } from './write-entry.js'

/** What an action answers, for the history. */
export interface Told {
  readonly message: string
  readonly warnings?: readonly string[]
  readonly exitCode?: 0 | 1
}

export interface HistoryOptions {
  readonly action: string
  /** Absent: it is about the whole manager. */
  readonly instance?: { readonly id: string; readonly name: string } | undefined
  /** Without secrets. Default: none. */
  readonly parameters?: Json
  /** What is answered is a secret, and is left out. */
  readonly isSecret?: boolean
}

/** Runs an action that changes something but is not an operation, or reads secrets, and puts it into the history, failed or not. */
export async function recordHistory<T extends Told>(
  context: HistoryContext,
  caller: HistoryCaller,
  { action, instance, parameters, isSecret = false }: HistoryOptions,
  work: () => Promise<T> | T,
): Promise<T> {
  const at = context.clock().toISOString()
  const begin = performance.now()
  const record = (result: 'ok' | 'failed', message: string) =>
    context.registry.transaction((writer) =>
      writeEntry(writer, caller, {
        at,
        action,
        instance,
        parameters,
        result,
        message,
        duration: Math.round(performance.now() - begin),
      }),
    )
  try {
    const done = await work()
    record(done.exitCode === 1 ? 'failed' : 'ok', isSecret ? '' : [done.message, ...(done.warnings ?? [])].join('\n'))
    return done
  } catch (error) {
    record('failed', error instanceof Error ? error.message : String(error))
    throw error
  }
}
