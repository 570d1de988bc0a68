import type { Input } from '../actions/action.js'
import type { TestManager } from './create-test-manager.js'

/** How the home is before: nothing in it but version 1.0, an instance `demo`, that and a backup, or it in the trash. */
export type Stage = 'empty' | 'stopped' | 'saved' | 'deleted'

/** One command that is killed at every entry of the journal. */
export interface CrashScenario {
  /** Kind of its operation. */
  readonly kind: string
  readonly stage: Stage
  /** The instance `demo` runs when the command begins. */
  readonly running?: true
  /** More that must be so before. */
  readonly prepare?: (test: TestManager) => Promise<unknown>
  readonly action: string
  readonly input: Readonly<Record<string, Input>>
}

const demo = { name: 'demo' }

export const crashScenarios: readonly CrashScenario[] = [
  { kind: 'add', stage: 'empty', action: 'add', input: demo },
  { kind: 'clone', stage: 'stopped', running: true, action: 'clone', input: { ...demo, new: 'copy' } },
  { kind: 'rename', stage: 'stopped', running: true, action: 'rename', input: { ...demo, new: 'sales' } },
  { kind: 'reset', stage: 'stopped', running: true, action: 'reset', input: demo },
  { kind: 'delete', stage: 'stopped', running: true, action: 'delete', input: demo },
  { kind: 'undelete', stage: 'deleted', action: 'undelete', input: { entry: 'demo' } },
  { kind: 'purge', stage: 'deleted', action: 'purge', input: { entry: 'demo' } },
  { kind: 'save', stage: 'stopped', running: true, action: 'save', input: demo },
  { kind: 'restore', stage: 'saved', running: true, action: 'restore', input: demo },
  { kind: 'recreate', stage: 'saved', action: 'restore', input: { ...demo, as: 'again' } },
  { kind: 'start', stage: 'stopped', action: 'start', input: demo },
  { kind: 'stop', stage: 'stopped', running: true, action: 'stop', input: demo },
  { kind: 'app-start', stage: 'stopped', action: 'app-start', input: demo },
  { kind: 'app-stop', stage: 'stopped', running: true, action: 'app-stop', input: demo },
  { kind: 'app-debug', stage: 'stopped', running: true, action: 'app-debug', input: demo },
  { kind: 'setstatus', stage: 'stopped', action: 'setstatus', input: { ...demo, status: 'started' } },
  { kind: 'protect', stage: 'stopped', action: 'protect', input: demo },
  {
    kind: 'unprotect',
    stage: 'stopped',
    prepare: (test) => test.perform('protect', demo),
    action: 'unprotect',
    input: demo,
  },
  {
    kind: 'autoupdate',
    stage: 'stopped',
    prepare: (test) => test.perform('noautoupdate', demo),
    action: 'autoupdate',
    input: demo,
  },
  { kind: 'noautoupdate', stage: 'stopped', action: 'noautoupdate', input: demo },
  { kind: 'autosave', stage: 'stopped', action: 'autosave', input: demo },
  {
    kind: 'noautosave',
    stage: 'stopped',
    prepare: (test) => test.perform('autosave', demo),
    action: 'noautosave',
    input: demo,
  },
  { kind: 'seturl', stage: 'stopped', action: 'seturl', input: { ...demo, url: 'https://demo.example.com' } },
  {
    kind: 'reseturl',
    stage: 'stopped',
    prepare: (test) => test.perform('seturl', { ...demo, url: 'https://demo.example.com' }),
    action: 'reseturl',
    input: demo,
  },
]
