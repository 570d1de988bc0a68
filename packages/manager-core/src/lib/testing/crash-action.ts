import { fullGrant } from '../domain/grant.js'
import type { Input } from '../domain/input.js'
import { createManager } from '../manager.js'
import type { JournalPoint } from '../operation/operation.js'
import { crashAt } from './crash-point.js'
import { secondRuntime } from './second-runtime.js'

/** Input of the program, as JSON in its one argument. */
export interface CrashAction {
  readonly home: string
  readonly applicationServer: string
  readonly defaultTemplate: string
  /** It kills itself at that entry of the journal. */
  readonly at?: number | JournalPoint | undefined
  /** undefined: nothing but recovery. */
  readonly action?: string | undefined
  readonly input?: Readonly<Record<string, Input>> | undefined
  readonly waitMs?: number
  /** What dead owners left stays. */
  readonly leavesRecovery?: true
}

const {
  at,
  action,
  input = {},
  waitMs = 0,
  leavesRecovery,
  ...options
} = JSON.parse(process.argv[2] as string) as CrashAction
const { onPoint, report } = crashAt(at)
const manager = createManager({ ...options, runtimes: { second: secondRuntime() }, onJournal: onPoint })
const caller = {
  actor: 'crash',
  surface: 'cli',
  grant: fullGrant,
  waitMs,
  ...(leavesRecovery && { leavesRecovery }),
} as const
await report(() =>
  action === undefined ? manager.context.operations.recover(caller) : manager.perform(action, input, caller),
)
manager.close()
