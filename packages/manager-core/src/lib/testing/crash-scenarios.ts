import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Input } from '../domain/input.js'
import type { JournalPoint } from '../operation/operation.js'
import type { TestManager } from './create-test-manager.js'
import { writeTemplate } from './fake-application.js'

/** One command that is killed at every entry of the journal. */
export interface CrashScenario {
  /** Kind of its operation. */
  readonly kind: string
  /** In which state, when there is more than one scenario of the kind. */
  readonly when?: string
  /** Actions that come before, once; with an instance `demo`, which is stopped. Default: none, and no instance. */
  readonly prepare?: (test: TestManager) => Promise<unknown>
  /** Actions on `demo` that come before, each time: they start processes. */
  readonly begin?: readonly string[]
  /** Instances are published by a reverse proxy, see `CrashOptions.proxied`. */
  readonly proxied?: true
  readonly action: string
  readonly input: Readonly<Record<string, Input>>
  /** Afterwards only the history has changed. */
  readonly leavesNothing?: true
  /** At which entries of the journal it is killed, when another scenario of the kind has the rest. Default: all. */
  readonly isMeant?: (point: JournalPoint) => boolean
}

const demo = { name: 'demo' }
const url = 'https://demo.example.com'

async function addDemo(test: TestManager): Promise<void> {
  await test.perform('add', demo)
  await test.perform('stop', demo)
}

const andThen = (action: string, input: Readonly<Record<string, Input>>) => async (test: TestManager) => {
  await addDemo(test)
  await test.perform(action, input)
}

const deleted = andThen('delete', demo)

/** All that can be changed by one word is. */
async function changeDemo(test: TestManager): Promise<void> {
  await addDemo(test)
  for (const action of ['protect', 'noautoupdate', 'autosave']) await test.perform(action, demo)
  await test.perform('seturl', { ...demo, url })
}

/** A backup, and an application and data that are not as saved any more. */
async function saveAndChange(test: TestManager): Promise<void> {
  await andThen('save', demo)(test)
  writeFileSync(test.path('demo', 'app', 'new.txt'), 'new')
  mkdirSync(test.path('demo', 'data', 'files'))
  const database = new DatabaseSync(test.path('demo', 'data', 'database.db'))
  database.exec(`insert into note values (2, 'new')`)
  database.close()
}

/** A newer 1.0 that changes data when it starts, and a version 1.1. */
async function newVersions(test: TestManager): Promise<void> {
  await addDemo(test)
  const migrate = 'create table if not exists migrated (id integer primary key)'
  writeTemplate(test.template, { version: '1.0.1', fake: { migrate } })
  writeFileSync(join(test.home, 'version-1.1.sh'), `export APPS_TEMPLATE=folder:${test.template}\n`, { mode: 0o600 })
  await test.perform('refresh')
}

/** A newer 1.0 with the same data model. Published once, so that the secret of the reverse proxy is there. */
async function newCode(test: TestManager): Promise<void> {
  await addDemo(test)
  writeTemplate(test.template, { version: '1.0.1' })
  await test.perform('refresh')
  await test.context.proxies.publish(test.caller)
}

/** Upgraded with its data, which then change. */
async function upgraded(test: TestManager): Promise<void> {
  await newVersions(test)
  await test.perform('upgrade', demo)
  const database = new DatabaseSync(test.path('demo', 'data', 'database.db'))
  database.exec(`insert into note values (2, 'new')`)
  database.close()
}

/** Upgraded while it served, so that its data stayed. */
async function newCodeRuns(test: TestManager): Promise<void> {
  await newCode(test)
  await test.perform('start', demo)
  await test.perform('upgrade', demo)
  await test.perform('stop', demo)
}

const running = { prepare: addDemo, begin: ['start'] }
const published = { prepare: newCode, begin: ['start'], proxied: true } as const
const stopped = { prepare: addDemo }

export const crashScenarios: readonly CrashScenario[] = [
  { kind: 'add', action: 'add', input: demo },
  { kind: 'clone', ...running, action: 'clone', input: { ...demo, new: 'copy' } },
  { kind: 'rename', ...running, action: 'rename', input: { ...demo, new: 'sales' } },
  { kind: 'move', ...running, action: 'move', input: { ...demo, to: 'second' } },
  {
    kind: 'move',
    when: 'stopped',
    ...stopped,
    action: 'move',
    input: { ...demo, to: 'second' },
    isMeant: (point) => 'step' in point && point.at === 'effect',
  },
  { kind: 'reset', ...running, action: 'reset', input: demo },
  { kind: 'delete', ...running, action: 'delete', input: demo },
  { kind: 'undelete', prepare: deleted, action: 'undelete', input: { entry: 'demo' } },
  { kind: 'purge', prepare: deleted, action: 'purge', input: { entry: 'demo' } },
  { kind: 'save', ...running, action: 'save', input: demo },
  {
    kind: 'save',
    when: 'with a copy that cannot be made',
    ...stopped,
    action: 'save',
    input: { ...demo, to: 'nowhere' },
    isMeant: (point) => 'step' in point && ['want', 'publish'].includes(point.step),
  },
  { kind: 'restore', prepare: saveAndChange, begin: ['start'], action: 'restore', input: demo },
  { kind: 'recreate', prepare: saveAndChange, action: 'restore', input: { ...demo, as: 'again' } },
  {
    kind: 'prove',
    prepare: saveAndChange,
    action: 'prove',
    input: demo,
    // Those before are those of recreate.
    isMeant: (point) =>
      'step' in point &&
      ((point.at === 'effect' && ['rows', 'start', 'stop', 'undefine', 'remove', 'record'].includes(point.step)) ||
        (point.at === 'intent' && point.step === 'stop')),
  },
  {
    kind: 'verify',
    prepare: saveAndChange,
    action: 'backups verify',
    input: { ...demo, deep: true },
    isMeant: (point) => 'step' in point && ['layout', 'data', 'rows', 'place', 'remove'].includes(point.step),
  },
  { kind: 'upgrade', prepare: newVersions, begin: ['start'], action: 'upgrade', input: demo },
  {
    kind: 'upgrade',
    when: 'stopped',
    prepare: newVersions,
    action: 'upgrade',
    input: demo,
    isMeant: (point) => 'step' in point && ['stop', 'switch', 'start', 'stop-again', 'drop'].includes(point.step),
  },
  {
    kind: 'upgrade',
    when: 'without a gap',
    ...published,
    action: 'upgrade',
    input: demo,
    isMeant: (point) => point.at === 'effect' && /^(copy|point|end|switch|point-back|end-back)$/.test(point.step),
  },
  {
    kind: 'rehearse',
    prepare: newVersions,
    begin: ['start'],
    action: 'upgrade',
    input: { ...demo, rehearse: true },
    leavesNothing: true,
    // Others are those of clone and upgrade.
    isMeant: (point) =>
      point.at === 'effect' && /^(data|place|switch|start|report|stop|undefine|remove)$/.test(point.step),
  },
  {
    kind: 'rollback',
    prepare: upgraded,
    begin: ['start'],
    action: 'rollback',
    input: demo,
    // Those before are those of restore and save.
    isMeant: (point) =>
      'step' in point &&
      ['stop', 'publish', 'restore-swap', 'settings', 'version', 'start', 'restore-old'].includes(point.step),
  },
  {
    kind: 'rollback',
    when: 'without a gap',
    prepare: newCodeRuns,
    begin: ['start'],
    proxied: true,
    action: 'rollback',
    input: demo,
    isMeant: (point) => point.at === 'effect' && /^(version|point|switch|end-back|drop)$/.test(point.step),
  },
  { kind: 'setversion', prepare: newVersions, action: 'setversion', input: { ...demo, version: '1.1' } },
  { kind: 'start', ...stopped, action: 'start', input: demo },
  {
    kind: 'start',
    when: 'asleep',
    prepare: addDemo,
    begin: ['start', 'sleep'],
    proxied: true,
    action: 'wake',
    input: demo,
  },
  { kind: 'sleep', ...running, proxied: true, action: 'sleep', input: demo },
  { kind: 'stop', ...running, action: 'stop', input: demo },
  {
    kind: 'restart',
    when: 'with a gap',
    prepare: addDemo,
    // Its settings at the start distinguish it from what it is afterwards.
    begin: ['start', 'app-debug'],
    action: 'restart',
    input: demo,
    isMeant: (point) => 'step' in point && ['stop', 'start', 'post-start'].includes(point.step),
  },
  {
    kind: 'restart',
    when: 'without a gap',
    ...published,
    action: 'restart',
    input: demo,
    isMeant: (point) =>
      (point.at === 'effect' && /^(copy|point|end)$/.test(point.step)) ||
      (point.at === 'intent' && point.step === 'end'),
  },
  { kind: 'app-start', prepare: addDemo, begin: ['start', 'app-stop'], action: 'app-start', input: demo },
  { kind: 'app-stop', ...running, action: 'app-stop', input: demo },
  { kind: 'app-debug', ...running, action: 'app-debug', input: demo },
  { kind: 'setstatus', ...stopped, action: 'setstatus', input: { ...demo, status: 'started' } },
  { kind: 'protect', ...stopped, action: 'protect', input: demo },
  { kind: 'unprotect', prepare: changeDemo, action: 'unprotect', input: demo },
  { kind: 'autoupdate', prepare: changeDemo, action: 'autoupdate', input: demo },
  { kind: 'noautoupdate', ...stopped, action: 'noautoupdate', input: demo },
  { kind: 'autosave', ...stopped, action: 'autosave', input: demo },
  { kind: 'noautosave', prepare: changeDemo, action: 'noautosave', input: demo },
  { kind: 'seturl', ...stopped, action: 'seturl', input: { ...demo, url } },
  { kind: 'reseturl', prepare: changeDemo, action: 'reseturl', input: demo },
  {
    kind: 'setting set',
    ...stopped,
    action: 'setting set',
    input: { ...demo, variable: 'SERVICE_SLEEP_AFTER', value: '600' },
  },
  {
    kind: 'setting unset',
    prepare: andThen('setting set', { ...demo, variable: 'SERVICE_SLEEP_AFTER', value: '600' }),
    action: 'setting unset',
    input: { ...demo, variable: 'SERVICE_SLEEP_AFTER' },
  },
  {
    kind: 'neutralise',
    ...running,
    action: 'neutralise',
    input: demo,
    isMeant: (point) => point.at === 'effect' && ['settings', 'start'].includes(point.step),
  },
  {
    kind: 'unneutralise',
    prepare: andThen('neutralise', demo),
    action: 'unneutralise',
    input: demo,
    isMeant: (point) => point.at === 'effect' && point.step === 'settings',
  },
]
