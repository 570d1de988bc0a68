import pLimit from 'p-limit'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { isInWindow } from '../schedule/window.js'
import type { Caller } from './operation.js'

/** What was done with an instance. */
export interface Done {
  readonly warnings: readonly string[]
  /** What of it did not work, although the rest did: it counts as failed. */
  readonly failure?: string
}

/** How it went with one instance. `not begun`: the window (APPS_WINDOW) ended, or another one failed before. */
export type Turn<D extends Done> =
  | { readonly result: 'done'; readonly message: ''; readonly done: D }
  | { readonly result: 'failed'; readonly message: string; readonly done: D | undefined }
  | { readonly result: 'not begun'; readonly message: string; readonly done: undefined }

interface Entry {
  readonly name: string
  readonly result: string
  readonly message: string
}

export interface ForEachInstance<D extends Done, E extends Entry> {
  /** In this order. */
  readonly instances: readonly Instance[]
  /** For people: `save`. */
  readonly noun: string
  readonly keepGoing: boolean
  /** How many at the same time. Default 1: one after the other, so that what does not work meets one of them. */
  readonly parallel?: number
  /** Also outside of APPS_WINDOW. Default false. */
  readonly now?: boolean
  readonly run: (instance: Instance) => Promise<D>
  readonly entryOf: (instance: Instance, turn: Turn<D>) => E
  /** Tells somebody; never rejects. @returns why it could not */
  readonly onFailure: (failed: readonly E[], text: string) => Promise<readonly string[]>
}

/**
 * Does something with each instance. After the first failure none is begun any more unless `keepGoing`; those that are
 * under way are brought to their end.
 */
export async function forEachInstance<D extends Done, E extends Entry>(
  context: Pick<ManagerContext, 'clock' | 'settings'>,
  caller: Caller,
  options: ForEachInstance<D, E>,
): Promise<{ readonly entries: readonly E[]; readonly warnings: readonly string[] }> {
  const { instances, noun, keepGoing, parallel = 1, now = false, run, entryOf, onFailure } = options
  let why: string | undefined
  const take = async (instance: Instance): Promise<{ readonly instance: Instance; readonly turn: Turn<D> }> => {
    if (why === undefined && !now && !isInWindow(context.clock(), context.settings.global.window))
      why = 'It is outside of the window (APPS_WINDOW).'
    if (why !== undefined) return { instance, turn: { result: 'not begun', message: why, done: undefined } }
    const turn = await turnOf(() => run(instance), caller)
    if (turn.result === 'failed' && !keepGoing) why ??= `The ${noun} of "${instance.name}" failed before.`
    return { instance, turn }
  }
  const turns = await pLimit(parallel).map(instances, take)
  const warnings = turns.flatMap(({ instance, turn }) =>
    (turn.done?.warnings ?? []).map((text) => `${instance.name}: ${text}`),
  )
  const entries = turns.map(({ instance, turn }) => entryOf(instance, turn))
  const failed = entries.filter(({ result }) => result === 'failed')
  if (failed.length === 0) return { entries, warnings }
  const text = entries.map(({ name, result, message }) => `${name}: ${result}${message && `\n  ${message}`}`).join('\n')
  return { entries, warnings: [...warnings, ...(await onFailure(failed, text))] }
}

async function turnOf<D extends Done>(run: () => Promise<D>, caller: Caller): Promise<Turn<D>> {
  try {
    const done = await run()
    if (done.failure !== undefined) return { result: 'failed', message: done.failure, done }
    return { result: 'done', message: '', done }
  } catch (error) {
    caller.signal?.throwIfAborted()
    if (!(error instanceof ManagerError)) throw error
    return { result: 'failed', message: error.message, done: undefined }
  }
}
