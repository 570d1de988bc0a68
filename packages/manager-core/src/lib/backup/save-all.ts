import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { mailFailure } from '../mail/mail-failure.js'
import type { Caller } from '../operation/operation.js'
import { isInWindow } from '../schedule/window.js'
import { saveKind } from './save.js'

export type SaveAllEntry = {
  readonly name: string
  /** `not begun`: the window (APPS_WINDOW) ended, or another one failed before. */
  readonly result: 'saved' | 'failed' | 'not begun'
  /** Of the backup; empty: none. */
  readonly backup: string
  readonly message: string
}

export interface SaveAllReport {
  readonly entries: readonly SaveAllEntry[]
  readonly warnings: readonly string[]
}

/** Saves one instance after the other; failures are mailed. Stops after the first one unless `keepGoing`. */
export async function saveAll(
  context: ManagerContext,
  caller: Caller,
  { keepGoing }: { readonly keepGoing: boolean },
): Promise<SaveAllReport> {
  const entries: SaveAllEntry[] = []
  const warnings: string[] = []
  let why: string | undefined
  for (const instance of autoSaved(context)) {
    const { name } = instance
    if (why === undefined && !isInWindow(context.clock(), context.settings.global.window))
      why = 'It is outside of the window (APPS_WINDOW).'
    if (why !== undefined) {
      entries.push({ name, result: 'not begun', backup: '', message: why })
      continue
    }
    const { entry, warnings: more } = await save(context, caller, instance)
    entries.push(entry)
    warnings.push(...more)
    if (entry.result === 'failed' && !keepGoing) why = `The save of "${name}" failed before.`
  }
  const problem = await mailFailures(context, entries)
  if (problem !== undefined) warnings.push(`The failure could not be mailed: ${problem}`)
  return { entries, warnings }
}

/** In the order of their names. */
export function autoSaved({ registry }: Pick<ManagerContext, 'registry'>): readonly Instance[] {
  return registry.instances().filter(({ autoSave }) => autoSave)
}

async function save(context: ManagerContext, caller: Caller, { id, name }: Instance) {
  try {
    const { outcomes, warnings } = await context.operations.run(saveKind, { id, name, automatic: true }, caller)
    const { backup } = outcomes.get('save') as { backup: string }
    const entry: SaveAllEntry = { name, result: 'saved', backup, message: '' }
    return { entry, warnings: warnings.map((warning) => `${name}: ${warning}`) }
  } catch (error) {
    caller.signal?.throwIfAborted()
    if (!(error instanceof ManagerError)) throw error
    const entry: SaveAllEntry = { name, result: 'failed', backup: '', message: error.message }
    return { entry, warnings: [] }
  }
}

async function mailFailures(context: ManagerContext, entries: readonly SaveAllEntry[]): Promise<string | undefined> {
  const failed = entries.filter(({ result }) => result === 'failed')
  if (failed.length === 0) return undefined
  return mailFailure(context, {
    subject: `saving ${failed.map(({ name }) => name).join(', ')} failed`,
    text: entries.map(({ name, result, message }) => `${name}: ${result}${message && `\n  ${message}`}`).join('\n'),
  })
}
