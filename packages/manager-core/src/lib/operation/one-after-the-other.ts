import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { mailFailure } from '../mail/mail-failure.js'
import { isInWindow } from '../schedule/window.js'
import type { Caller, OperationResult } from './operation.js'

/** How it went with one instance. `not begun`: the window (APPS_WINDOW) ended, or another one failed before. */
export type Turn =
  | { readonly result: 'done'; readonly message: ''; readonly operation: OperationResult }
  | { readonly result: 'failed' | 'not begun'; readonly message: string }

export interface OneAfterTheOther<Entry> {
  readonly instances: readonly Instance[]
  /** For people: `save`. */
  readonly noun: string
  /** Subject of the mail about these names. */
  readonly subject: (names: string) => string
  readonly keepGoing: boolean
  /** Also outside of APPS_WINDOW. Default false. */
  readonly now?: boolean
  readonly run: (instance: Instance) => Promise<OperationResult>
  readonly entryOf: (instance: Instance, turn: Turn) => Entry
}

/**
 * Runs an operation on one instance after the other, so that what does not work meets one of them. Stops after the first
 * failure unless `keepGoing`; failures are mailed.
 */
export async function oneAfterTheOther<Entry extends { name: string; result: string; message: string }>(
  context: ManagerContext,
  caller: Caller,
  options: OneAfterTheOther<Readonly<Entry>>,
): Promise<{ readonly entries: readonly Readonly<Entry>[]; readonly warnings: readonly string[] }> {
  const { instances, noun, subject, keepGoing, now = false, run, entryOf } = options
  const entries: Readonly<Entry>[] = []
  const warnings: string[] = []
  let why: string | undefined
  for (const instance of instances) {
    if (why === undefined && !now && !isInWindow(context.clock(), context.settings.global.window))
      why = 'It is outside of the window (APPS_WINDOW).'
    const turn: Turn =
      why === undefined ? await take(() => run(instance), caller) : { result: 'not begun', message: why }
    entries.push(entryOf(instance, turn))
    if (turn.result === 'done') warnings.push(...turn.operation.warnings.map((text) => `${instance.name}: ${text}`))
    if (turn.result === 'failed' && !keepGoing) why = `The ${noun} of "${instance.name}" failed before.`
  }
  const failed = entries.filter(({ result }) => result === 'failed').map(({ name }) => name)
  if (failed.length === 0) return { entries, warnings }
  const problem = await mailFailure(context, {
    subject: subject(failed.join(', ')),
    text: entries.map(({ name, result, message }) => `${name}: ${result}${message && `\n  ${message}`}`).join('\n'),
  })
  if (problem !== undefined) warnings.push(`The failure could not be mailed: ${problem}`)
  return { entries, warnings }
}

async function take(run: () => Promise<OperationResult>, caller: Caller): Promise<Turn> {
  try {
    return { result: 'done', message: '', operation: await run() }
  } catch (error) {
    caller.signal?.throwIfAborted()
    if (!(error instanceof ManagerError)) throw error
    return { result: 'failed', message: error.message }
  }
}
