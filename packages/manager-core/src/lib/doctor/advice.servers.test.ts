import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ManagerError } from '../../errors.js'
import type { Action, InputType } from '../action.js'
import { findAction } from '../actions/index.js'
import type { Input } from '../domain/input.js'
import { sqlite } from '../store/sqlite.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { testInstance } from '../testing/made-up-operation.js'
import type { Diagnosis } from './doctor.js'

/** What the instance got after its last backup. It is nowhere else. */
const today = 'written after the last backup'

/** A manager whose instance runs, has a backup of last night, and data of today. */
async function manager(): Promise<TestManager> {
  const test = await createTestManager({
    config: ['APPS_DATABASES=sqlite', 'APPS_HEALTHWINDOW=0'],
    environment: { PATH: process.env['PATH'] },
  })
  onTestFinished(() => test.close())
  const programs = join(test.folder, 'programs')
  const table = join(test.folder, 'crontab')
  mkdirSync(programs)
  const crontab = `#!/bin/sh\ncase "$1" in\n-l) [ -e ${table} ] || { echo "no crontab for x" >&2; exit 1; }; cat ${table} ;;\n-) cat >${table} ;;\nesac\n`
  writeFileSync(join(programs, 'crontab'), crontab, { mode: 0o755 })
  const environment = { PATH: `${programs}:${process.env['PATH']}`, XDG_CONFIG_HOME: programs }
  const own = test.another({ environment, command: [process.execPath, process.execPath] })
  const perform: TestManager['perform'] = (action, input = {}, more = {}) =>
    own.perform(action, input, { ...test.caller, ...more })
  await perform('add', { name: 'demo' })
  await perform('save', { name: 'demo' })
  writeFileSync(test.path('demo', 'data', 'today.txt'), today)
  return { ...test, manager: own, context: own.context, perform }
}

/** Whether the data of today are anywhere in the home: in the instance, the trash, or a backup. */
function hasToday(folder: string): boolean {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).some(
    (entry) =>
      entry.isFile() &&
      entry.name === 'today.txt' &&
      readFileSync(join(entry.parentPath, entry.name), 'utf8') === today,
  )
}

interface Call {
  readonly action: Action
  readonly input: Readonly<Record<string, Input>>
  readonly text: string
}

/** The commands of the manager that a text names, as a person would type them. */
function commandsIn(text: string): readonly Call[] {
  const lines = text.split(/\bmanager (?=[a-z])/).slice(1)
  return lines.flatMap((line) => {
    const all = line.trim().split(/\s+/)
    const end = all.findIndex((word) => /[.,;:)]$/.test(word))
    const words = (end < 0 ? all : all.slice(0, end + 1)).map((word) => word.replace(/[.,;:)]+$/, ''))
    const two = findAction(words.slice(0, 2).join(' '))
    const action = two ?? findAction(words[0] ?? '')
    if (!action) return []
    const rest = words.slice(two ? 2 : 1)
    return [{ action, text: words.join(' '), input: inputOf(action, rest) }]
  })
}

function inputOf({ name: action, parameters = [], options = [] }: Action, words: readonly string[]) {
  const input: Record<string, Input> = {}
  const open = [...parameters]
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    const option = options.find(({ name }) => `--${name.replaceAll('_', '-')}` === word)
    if (option) input[option.name] = option.type === 'flag' ? true : typed(option.type, words[++at] ?? '')
    else {
      const parameter = open.shift()
      if (word.startsWith('--') || !parameter) throw new Error(`${action} takes no ${word}.`)
      input[parameter.name] = typed(parameter.type, word)
    }
  }
  return input
}

const typed = (type: InputType, word: string): Input =>
  type === 'integer' ? Number(word) : type === 'yes-no' ? word === 'yes' : word

const doctor = async (test: TestManager, category: string) =>
  (await test.perform('doctor', { category })).list as unknown as readonly Diagnosis[]

interface State {
  readonly what: string
  readonly harm: (test: TestManager) => unknown
  /** The check that reports it. */
  readonly category: string
  readonly check: string
  /** Commands that cure it; others only show something, or give another choice. */
  readonly cures: readonly string[]
}

const left = { id: 'gleft123', name: 'prove-gleft123', source: 'prove:demo/x', operation: 'given-up', port: 45_999 }

const states: readonly State[] = [
  {
    what: 'its app.yaml is gone',
    harm: (test) => rmSync(test.path('demo', 'app', 'app.yaml')),
    ...{ category: 'instances', check: 'instance-contents', cures: ['restore demo --only app'] },
  },
  {
    what: 'its settings are gone',
    harm: (test) => rmSync(test.path('demo', 'settings.sh')),
    ...{ category: 'instances', check: 'instance-folders', cures: ['doctor instances --fix'] },
  },
  {
    what: 'its database is gone',
    async harm(test) {
      await test.perform('stop', { name: 'demo' })
      rmSync(test.path('demo', 'data', 'database.db'))
    },
    ...{ category: 'instances', check: 'instance-contents', cures: ['restore demo', 'start demo --empty'] },
  },
  {
    what: 'an operation needs attention',
    harm(test) {
      const { id } = test.instance('demo')
      test.context.registry[sqlite].exec(
        `insert into operation (id, kind, instance_id, instance, title, actor, surface, request, facts, locks, state, owner, started)
         values ('op1', 'stop', '${id}', 'demo', 'Stop it', '', 'cli', '{"id":"${id}","name":"demo","force":false}', '{}', '[]', 'attention', '{}', '2026')`,
      )
    },
    ...{ category: 'instances', check: 'instance-blocked', cures: ['giveup op1'] },
  },
  {
    what: 'its supervisor was killed',
    async harm(test) {
      process.kill(Number(readFileSync(test.path('demo', 'run', 'supervisor'), 'utf8').split(' ')[0]), 'SIGKILL')
      const ref = { id: test.instance('demo').id, folder: test.path('demo') }
      while ((await test.context.runtimes.named('process').observe(ref)).state !== 'degraded') await sleep(10)
    },
    ...{ category: 'instances', check: 'instance-state', cures: ['restart demo'] },
  },
  {
    what: 'it runs and is recorded as stopped',
    harm: (test) => test.perform('setstatus', { name: 'demo', status: 'stopped' }),
    ...{ category: 'instances', check: 'instance-state', cures: ['setstatus demo started', 'stop demo'] },
  },
  {
    what: 'it should run and does not',
    harm: (test) =>
      test.context.runtimes
        .of(test.instance('demo'))
        .stop({ id: test.instance('demo').id, folder: test.path('demo') }, { graceMs: 5000 }),
    ...{ category: 'instances', check: 'instance-state', cures: ['start demo'] },
  },
  {
    what: 'several should run and do not, as after a reboot',
    async harm(test) {
      await test.perform('add', { name: 'other' })
      for (const name of ['demo', 'other']) {
        const { id } = test.instance(name)
        await test.context.runtimes.of({ id }).stop({ id, folder: test.path(name) }, { graceMs: 5000 })
      }
    },
    ...{ category: 'instances', check: 'instance-state', cures: ['startall'] },
  },
  {
    what: 'a temporary instance of a test restore is left',
    harm: (test) => test.context.registry.transaction((writer) => writer.insertInstance(testInstance(left))),
    ...{
      category: 'backups',
      check: 'proofs',
      cures: [`delete ${left.name} --force --purge`, `delete ${left.name} --force yes --purge`],
    },
  },
  {
    what: 'nightly backups are not scheduled',
    harm: (test) => test.perform('autosave', { name: 'demo' }),
    ...{ category: 'backups', check: 'schedule', cures: ['schedule install'] },
  },
  {
    what: 'nothing starts instances after a reboot',
    harm: (test) => test.perform('schedule', { what: 'install', startall: 'off' }),
    ...{ category: 'system', check: 'schedule-startall', cures: ['schedule install --startall boot'] },
  },
  {
    what: 'the program of what is scheduled is gone',
    async harm(test) {
      await test.perform('schedule', { what: 'install' })
      const table = join(test.folder, 'crontab')
      writeFileSync(table, readFileSync(table, 'utf8').replaceAll(` ${process.execPath} `, ' /opt/gone/node '))
    },
    ...{ category: 'system', check: 'schedule-program', cures: ['schedule install'] },
  },
  {
    what: 'there is no backup of today at a target',
    async harm(test) {
      mkdirSync(join(test.folder, 'nas'))
      const lines = ['APPS_TARGETS=nas', 'APPS_TARGET_NAS_TYPE=local', `APPS_TARGET_NAS_PATH=${test.folder}/nas`]
      writeFileSync(test.context.home.config, `${readFileSync(test.context.home.config, 'utf8')}${lines.join('\n')}\n`)
      await test.perform('autosave', { name: 'demo' })
    },
    ...{ category: 'backups', check: 'saves', cures: ['save demo --to nas'] },
  },
  {
    what: 'its home may be changed by all users',
    harm: (test) => chmodSync(test.home, 0o777),
    ...{ category: 'home', check: 'home-owners', cures: ['doctor home --fix'] },
  },
]

/** Does it for each advised command that changes something, each time in the same state again. */
async function inTurn(work: (turn: number) => Promise<readonly Call[]>): Promise<void> {
  const calls = await work(0)
  const changes = calls.filter(({ action }) => action.mutating || action.name === 'doctor').length
  for (let turn = 1; turn < changes; turn++) await work(turn)
}

/** Performs what only shows something, and one command that changes something, in the state in which they are advised. */
async function follow(
  test: TestManager,
  calls: readonly Call[],
  turn: number,
  cures: readonly string[],
  isCured: (text: string) => Promise<unknown>,
): Promise<void> {
  const changing = calls.filter(({ action }) => action.mutating || action.name === 'doctor')
  const looking = calls.filter((call) => turn === 0 && !changing.includes(call))
  for (const { action, input, text } of [...looking, ...changing.slice(turn, turn + 1)]) {
    if (['delete', 'purge'].includes(action.name)) expect(input['name'] ?? input['entry']).not.toBe('demo')
    await test.perform(action.name, input).catch((error: ManagerError) => {
      // It may be refused, but not because it is not understood.
      expect(error.code, `${text}: ${error.message}`).not.toBe('ERR_USAGE')
      if (cures.includes(text)) throw error
    })
    if (cures.includes(text)) await isCured(text)
    expect(hasToday(test.home), text).toBe(true)
    expect(existsSync(test.path('demo'))).toBe(true)
  }
}

describe('what doctor advises', () => {
  it.each(states)('when $what: no command loses data of today, and those that should cure it do', async (state) => {
    const { category, check, cures, harm } = state
    await inTurn(async (turn) => {
      const test = await manager()
      await harm(test)
      const find = async () => (await doctor(test, category)).filter((one) => one.check === check && one.level !== 'ok')
      const [found] = await find()
      const calls = commandsIn(`${found?.message} ${found?.help}`)
      expect(calls.filter(({ text }) => cures.includes(text)).length).toBeGreaterThan(0)
      await follow(test, calls, turn, cures, async (text) => expect(await find(), text).toEqual([]))
      return calls
    })
  })
})

interface Failing extends Pick<State, 'what' | 'harm' | 'cures'> {
  /** What fails, and works after the cure. */
  readonly command: readonly [action: string, input: Readonly<Record<string, Input>>]
}

const failing: readonly Failing[] = [
  {
    what: 'a start without its database',
    async harm(test) {
      await test.perform('stop', { name: 'demo' })
      rmSync(test.path('demo', 'data', 'database.db'))
    },
    command: ['start', { name: 'demo' }],
    cures: ['start demo --empty'],
  },
  {
    what: 'a restart of an application with a mistake',
    harm: (test) => test.tell('demo', { problems: ['app.yaml:1:1 It is wrong'] }),
    command: ['restart', { name: 'demo' }],
    cures: ['upgrade demo --force', 'restore demo --only app'],
  },
  {
    what: 'a save that an operation blocks',
    async harm(test) {
      await test.perform('stop', { name: 'demo' })
      const { id } = test.instance('demo')
      test.context.registry[sqlite].exec(
        `insert into operation (id, kind, instance_id, instance, title, actor, surface, request, facts, locks, state, owner, started)
         values ('op1', 'stop', '${id}', 'demo', 'Stop it', '', 'cli', '{}', '{}', '["instance:${id}"]', 'attention', '{}', '2026')`,
      )
    },
    command: ['save', { name: 'demo' }],
    cures: ['giveup op1'],
  },
  {
    what: 'a restore whose only backup is at a target',
    async harm(test) {
      mkdirSync(join(test.folder, 'nas'))
      const lines = ['APPS_TARGETS=nas', 'APPS_TARGET_NAS_TYPE=local', `APPS_TARGET_NAS_PATH=${test.folder}/nas`]
      writeFileSync(test.context.home.config, `${readFileSync(test.context.home.config, 'utf8')}${lines.join('\n')}\n`)
      const { folder } = await test.context.backups.find('demo', 'latest')
      await test.perform('backups export', { name: 'demo', to: 'nas' })
      rmSync(folder, { recursive: true })
    },
    command: ['restore', { name: 'demo' }],
    cures: [],
  },
  {
    what: 'a start of an instance whose settings are gone',
    async harm(test) {
      await test.perform('stop', { name: 'demo' })
      rmSync(test.path('demo', 'settings.sh'))
    },
    command: ['start', { name: 'demo' }],
    cures: ['doctor instances --fix'],
  },
]

describe('what a failed command advises', () => {
  it.each(failing)('$what: no command loses data of today, and those that should cure it do', async (state) => {
    const { command, cures, harm } = state
    const [action, input] = command
    await inTurn(async (turn) => {
      const test = await manager()
      await harm(test)
      const failure = await test.perform(action, input).then(
        () => expect.unreachable(`${action} should fail`),
        (error: ManagerError) => error,
      )
      const { message, help = '', command: next } = failure
      const calls = commandsIn(`${message} ${help} ${next === undefined ? '' : `manager ${next}`}`)
      const advised = calls.map(({ text }) => text)
      expect(advised, message).toEqual(expect.arrayContaining([...cures]))
      expect(advised.length).toBeGreaterThan(0)
      await follow(test, calls, turn, cures, () => test.perform(action, input))
      return calls
    })
  })
})
