import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { oneAfterTheOther } from '../operation/one-after-the-other.js'
import type { Caller } from '../operation/operation.js'
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
export function saveAll(
  context: ManagerContext,
  caller: Caller,
  { keepGoing }: { readonly keepGoing: boolean },
): Promise<SaveAllReport> {
  return oneAfterTheOther<SaveAllEntry>(context, caller, {
    instances: autoSaved(context),
    noun: 'save',
    subject: (names) => `saving ${names} failed`,
    keepGoing,
    run: ({ id, name }) => context.operations.run(saveKind, { id, name, automatic: true, secrets: false }, caller),
    entryOf({ name }, turn) {
      const { message } = turn
      if (turn.result !== 'done') return { name, result: turn.result, backup: '', message }
      const { backup } = turn.operation.outcomes.get('save') as { backup: string }
      return { name, result: 'saved', backup, message }
    },
  })
}

/** In the order of their names. */
export function autoSaved({ registry }: Pick<ManagerContext, 'registry'>): readonly Instance[] {
  return registry.instances().filter(({ autoSave }) => autoSave)
}
