import type { TestManager } from '../create-test-manager.js'
import { writeTemplate } from '../fake-application.js'
import type { Call } from './operator.js'

/** What is done with an instance that is attacked meanwhile. */
export interface Operation {
  readonly name: string
  /** Before the attack. */
  readonly before?: (test: TestManager, name: string) => Promise<unknown>
  readonly calls: (name: string) => readonly Call[]
  /** Afterwards, whatever the calls came to: what they made goes. */
  readonly after?: readonly Call[]
  /** The same for what is not a call. */
  readonly afterwards?: (test: TestManager) => Promise<unknown>
  /** It leaves another instance, or none. */
  readonly ends?: true
}

const call = (action: string, input: Call['input'] = {}): Call => ({ action, input })
const one =
  (action: string, input: Call['input'] = {}) =>
  (name: string) => [call(action, { name, ...input })]
const gone = (name: string) => call('delete', { name, force: true, purge: true })

let revision = 1
/** Fetches a newer template of the version. */
export async function publish(test: TestManager, start?: 'fail'): Promise<void> {
  const version = `1.0.${++revision}`
  writeTemplate(test.template, {
    version,
    fake: { ...(start && { start }), migrate: `create table if not exists t${revision} (x)` },
  })
  await test.perform('refresh')
}

/** What shows something about an instance, and changes nothing. */
export const reports: readonly Operation[] = [
  { name: 'list', calls: () => [call('list', { measure: true })] },
  { name: 'get', calls: one('get') },
  { name: 'status', calls: () => [call('status')] },
  { name: 'health', calls: (name) => [call('health', { name }), call('app-status', { name }), call('ps', { name })] },
  {
    name: 'logs',
    calls: (name) => [call('logs', { name, lines: 100_000 }), call('logs', { name, lines: 10, grep: 'a' })],
  },
  { name: 'accesslogs', calls: one('accesslogs') },
  { name: 'documents', calls: one('documents') },
  { name: 'dbinfo', calls: one('dbinfo', { rows: true }) },
  { name: 'doctor', calls: () => [call('doctor')] },
  { name: 'doctor --fix', calls: () => [call('doctor', { fix: true })] },
  {
    name: 'health of a stopped neighbour',
    before: (test) => test.perform('stop', { name: 'neighbour' }),
    calls: () => [
      ...['health', 'app-status', 'unitttests', 'start'].map((action) =>
        call(action, { name: 'neighbour', ...(action === 'unitttests' && { test: 'x' }) }),
      ),
    ],
    after: [call('start', { name: 'neighbour' })],
  },
]

/** What changes, copies or reads an instance as a whole. */
export const changes: readonly Operation[] = [
  { name: 'save', calls: one('save') },
  { name: 'saveall', calls: () => [call('saveall')] },
  { name: 'verify', calls: one('backups verify', { deep: true }) },
  { name: 'restore', calls: one('restore') },
  { name: 'restore --as', calls: one('restore', { as: 'again' }), after: [gone('again')] },
  { name: 'prove', calls: one('prove') },
  ...(['all', 'data', 'webapp', 'logs'] as const).map((type) => ({
    name: `download ${type}`,
    calls: (name: string) => [{ ...call('download', { name, type }), file: `${type}.tar.gz` }],
  })),
  { name: 'clone', calls: one('clone', { new: 'twin' }), after: [gone('twin')] },
  { name: 'anonymise', calls: one('clone', { new: 'twin', anonymise: 'rules.yaml' }), after: [gone('twin')] },
  { name: 'restart', calls: one('restart') },
  { name: 'stop and start', calls: (name) => [call('stop', { name }), call('start', { name })] },
  { name: 'move', calls: (name) => [call('move', { name, to: 'another' }), call('move', { name, to: 'process' })] },
  { name: 'rehearsed upgrade', before: (test) => publish(test), calls: one('upgrade', { rehearse: true }) },
  {
    name: 'failed upgrade',
    before: (test) => publish(test, 'fail'),
    calls: one('upgrade', { force: true }),
    afterwards: (test) => publish(test),
  },
  { name: 'upgrade', before: (test) => publish(test), calls: one('upgrade', { force: true }) },
  {
    name: 'rollback',
    async before(test, name) {
      await publish(test)
      // An attack that is still there may prevent it; then there is nothing to roll back.
      await test.perform('upgrade', { name, force: true }).catch(() => undefined)
    },
    calls: one('rollback'),
  },
  {
    name: 'rename',
    calls: (name) => [call('rename', { name, new: 'renamed' }), call('rename', { name: 'renamed', new: name })],
  },
  { name: 'isolate', calls: (name) => [call('isolate', { name, undo: true }), call('isolate', { name })] },
  { name: 'reset', calls: one('reset'), ends: true },
  {
    name: 'delete and undelete',
    calls: (name) => [call('delete', { name, force: true }), call('undelete', { entry: name })],
  },
  { name: 'refresh', calls: () => [call('refresh')] },
  { name: 'restore and purge', calls: (name) => [call('restore', { name }), call('purge', { all: true })] },
  {
    name: 'delete and purge',
    calls: (name) => [call('delete', { name, force: true }), call('purge', { all: true })],
    ends: true,
  },
]

/** Each operation and each report, in the order in which they can follow each other. */
export const operations: readonly Operation[] = [...reports, ...changes]
