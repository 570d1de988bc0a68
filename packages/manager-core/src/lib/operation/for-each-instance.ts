import pLimit from 'p-limit'
import type { ManagerError } from '../../errors.js'
import type { Caller } from '../domain/caller.js'
import type { Instance } from '../domain/instance.js'
import { isInWindow } from '../schedule/window.js'
import type { Settings } from '../settings/settings.js'
import { groupEvents } from './event-group.js'

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
  /** For people: `Save "demo"`. */
  readonly titleOf: (name: string) => string
  /** Whether one is not started because another one failed. Default: never, all that can be done is done. */
  readonly stops?: ((failed: Instance, next: Instance) => boolean) | undefined
  /** How many at the same time. Default 1: one after the other, so that what does not work meets one of them. */
  readonly parallel?: number
  /** Also outside of APPS_WINDOW. Default false. */
  readonly now?: boolean
  /** @param caller notified of what is done */
  readonly run: (instance: Instance, caller: Caller) => Promise<D>
  readonly entryOf: (instance: Instance, turn: Turn<D>) => E
  /** Notifies a person; never rejects. @returns why it could not */
  readonly onFailure: (failed: readonly E[], text: string) => Promise<readonly string[]>
}

/**
 * Does something with each instance, also when one of them fails. Those that are under way are brought to their end when
 * it is cancelled.
 */
export async function forEachInstance<D extends Done, E extends Entry>(
  context: { readonly clock: () => Date; readonly settings: Settings },
  caller: Caller,
  options: ForEachInstance<D, E>,
): Promise<{ readonly entries: readonly E[]; readonly warnings: readonly string[] }> {
  const { instances, noun, titleOf, stops, parallel = 1, now = false, run, entryOf, onFailure } = options
  const names = instances.map(({ name }) => name)
  const title = `The ${noun} of ${instances.length} instances, ${parallel} at the same time`
  const group = parallel > 1 && names.length > 1 ? groupEvents(caller, title, names, titleOf) : undefined
  let why: string | undefined
  const failures: Instance[] = []
  const take = async (instance: Instance): Promise<{ readonly instance: Instance; readonly turn: Turn<D> }> => {
    if (why === undefined && !now && !isInWindow(context.clock(), context.settings.global.window))
      why = 'It is outside the window (APPS_WINDOW).'
    const before = stops && failures.find((failed) => stops(failed, instance))
    const message = why ?? (before && `The ${noun} of "${before.name}" failed earlier.`)
    if (message !== undefined) {
      group?.tell(instance.name, 'skipped')
      // words-allow: begun, as clients know the result by this name
      return { instance, turn: { result: 'not begun', message, done: undefined } }
    }
    group?.tell(instance.name, 'running')
    try {
      const turn = await turnOf(() => run(instance, group?.callerOf(instance.name) ?? caller), caller)
      group?.tell(instance.name, turn.result === 'failed' ? 'failed' : 'done')
      if (turn.result === 'failed') failures.push(instance)
      return { instance, turn }
    } catch (error) {
      why = 'It was cancelled.'
      group?.tell(instance.name, 'failed')
      throw error
    }
  }
  const limit = pLimit(parallel)
  const ends = await Promise.allSettled(instances.map((instance) => limit(take, instance)))
  const broken = ends.find((end) => end.status === 'rejected')
  if (broken) throw broken.reason
  const turns = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
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
    return { result: 'failed', message: withOutput(error as ManagerError), done: undefined }
  }
}

/** With the last words of a hook or a program, which often name the cause. */
function withOutput({ message, output = '' }: Pick<ManagerError, 'message' | 'output'>): string {
  const lines = output.split('\n').map((line) => line.trim())
  const said = lines
    .filter((line) => line !== '')
    .slice(-5)
    .join(' | ')
  if (said === '' || message.includes(said)) return message
  return `${message.replace(/\.?$/, '.')} Output: ${said.length > 400 ? `…${said.slice(-400)}` : said}`
}
