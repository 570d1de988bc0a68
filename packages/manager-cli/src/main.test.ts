import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '@steward/manager-core/errors'
import type { Action, ActionResult, Manager, PlannedOperation } from '@steward/manager-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { run, type RunOptions } from './lib/running-for-test.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-cli-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const plan: PlannedOperation = {
  title: 'Drop "demo"',
  instance: { id: 'a', name: 'demo' },
  steps: [
    { id: 'stop', title: 'Stop it', pointOfNoReturn: false, undoable: true },
    { id: 'remove', title: 'Remove it', pointOfNoReturn: true, undoable: false },
  ],
  notes: ['3 MB will be gone.'],
}

const name = { name: 'name', type: 'instance', required: true, summary: 'Its name' } as const
const base = { group: 'Instances', ability: 'operate', mutating: false, examples: [], view: { type: 'text' } } as const

/** Actions as the table has them, each for one kind of result. */
const actions: readonly Action[] = [
  {
    ...base,
    name: 'show',
    aliases: ['sh'],
    formerly: ['fetch-all'],
    summary: 'Show rows',
    parameters: [{ name: 'count', type: 'integer', summary: 'How many' }],
    options: [
      { name: 'auto_save', short: 'a', type: 'yes-no', summary: 'Whether' },
      { name: 'keep', type: 'flag', summary: 'Keep it' },
      { name: 'no-start', type: 'flag', summary: 'Leave it' },
    ],
    examples: ['show 3'],
    view: { type: 'table', columns: ['name', 'owner_email'], empty: 'There is none.' },
    handler: async ({ input }) => ({
      message: `${String(input.count)} rows`,
      warnings: ['Old\u001b[31m.'],
      list: Array.from({ length: Number(input.count ?? 0) }, (_, at) => ({
        name: `n${at}`,
        owner_email: `${'long'.repeat(8)}@example.org`,
      })),
      data: { input: input as never },
    }),
  },
  {
    ...base,
    name: 'drop',
    summary: 'Drop an instance',
    parameters: [name],
    mutating: true,
    destructive: 'All data of "{name}" will be lost.',
    async handler({ caller, input }) {
      if (input.name === 'ghost') throw new ManagerError('ERR_NOT_FOUND', 'There is no instance "ghost".')
      const losesNothing = input.name === 'fresh' ? ({ losesNothing: true } as const) : {}
      return caller.dryRun
        ? { message: 'nothing', plan, ...losesNothing }
        : { message: 'Dropped.', operation: 'op1', item: { name: input.name as string } }
    },
  },
  {
    ...base,
    name: 'dropall',
    summary: 'Drop all instances',
    options: [{ name: 'as', type: 'new-name', summary: 'Drop a copy of them instead' }],
    mutating: true,
    destructive: 'Everything will be lost.',
    harmlessWith: 'as',
    handler: async () => ({ message: 'Dropped.' }),
  },
  {
    ...base,
    name: 'keep',
    summary: 'Keep a value',
    parameters: [{ name: 'value', type: 'text', secret: true, readWith: 'stdin', summary: 'New value' }],
    options: [{ name: 'stdin', type: 'flag', surfaces: ['cli'], summary: 'Read the value' }],
    handler: async ({ input }) => ({ message: 'Kept.', data: { value: (input.value ?? null) as never } }),
  },
  {
    ...base,
    name: 'fail',
    summary: 'Fail',
    parameters: [{ name: 'code', type: 'text', required: true, summary: 'How' }],
    mutating: true,
    handler: async ({ input, caller }) => {
      if (input.code === 'plain') throw new TypeError('It broke.')
      if (input.code === 'wait') throw new ManagerError('ERR_FAILED', `Waited ${String(caller.waitMs)}.`)
      const options = { help: 'Do this.', command: 'logs demo', output: 'line 1\nline 2\u001b[2J', operation: 'op1' }
      throw new ManagerError(input.code as 'ERR_FAILED', `It is ${String(input.code)}.`, options)
    },
  },
  {
    ...base,
    name: 'stream',
    summary: 'Stream lines',
    options: [{ name: 'deaf', type: 'flag', summary: 'Do not heed signals' }],
    async handler({ caller, input }): Promise<ActionResult> {
      async function* lines() {
        for (let at = 0; input.deaf === true || !caller.signal?.aborted; at++) {
          yield `line ${at}`
          await (input.deaf === true && at === 2 ? new Promise(() => {}) : sleep(1))
        }
      }
      return { message: '', stream: lines() }
    },
  },
  {
    ...base,
    name: 'file',
    summary: 'Send a file',
    options: [{ name: 'output', type: 'file', summary: 'Where to' }],
    handler: async () => {
      const left: string[] = []
      return {
        message: '',
        file: {
          name: 'data.bin',
          mime: 'application/octet-stream',
          async *content() {
            yield Buffer.from('ab')
            yield Buffer.from('cd')
            left.push('ef was left out.')
          },
          warnings: left,
        },
      }
    },
  },
  {
    ...base,
    name: 'program',
    summary: 'Run a program',
    parameters: [{ name: 'script', type: 'text', required: true, summary: 'What' }],
    handler: async ({ input }): Promise<ActionResult> => ({
      message: '',
      program:
        input.script === 'missing'
          ? { command: 'no-such-program', args: [], environment: {} }
          : { command: 'sh', args: ['-c', String(input.script)], environment: { GREETING: 'hello' }, folder },
    }),
  },
  {
    ...base,
    name: 'slow',
    summary: 'Take long',
    options: [{ name: 'deaf', type: 'flag', summary: 'Do not heed signals' }],
    mutating: true,
    async handler({ caller, input }) {
      await new Promise((_, reject) => {
        if (input.deaf !== true)
          caller.signal?.addEventListener('abort', () =>
            reject(new ManagerError('ERR_ROLLED_BACK', 'Cancelled. All changes were rolled back.')),
          )
        caller.onEvent?.({ type: 'planned', operation: 'o', title: 'Slow work', steps: [] })
      })
      return { message: 'Never.' }
    },
  },
  ...['pets list', 'pets feed', 'toys list'].map((words): Action => ({
    ...base,
    name: words,
    aliases: { 'pets list': ['pets'], 'pets feed': ['feed'] }[words] ?? [],
    summary: `Do ${words}`,
    parameters: [{ name: 'name', type: 'text', summary: 'Which' }],
    examples: [`${words} rex`],
    handler: async ({ input }) => ({ message: `${words} ${String(input.name)}` }),
  })),
  { ...base, name: 'hidden', summary: 'Of the API only', surfaces: ['api'], handler: async () => ({ message: '' }) },
]

const homes: string[] = []
const cli = (line: string, options: RunOptions = {}) =>
  run(line.split(' ').filter(Boolean), { cwd: folder, createManager: fakeManager, ...options })

function fakeManager(home: string): Manager {
  homes.push(home)
  return {
    actions,
    context: undefined as never,
    async perform(action, input, caller) {
      return (actions.find((one) => one.name === action) as Action).handler({
        context: undefined as never,
        input,
        caller,
      })
    },
    begin: async (action) => action,
    close() {},
  }
}

describe('results', () => {
  test('a table is plain where there is no terminal; what is said about it goes beside', async () => {
    const { code, out, err } = await cli('show 2')
    expect(code).toBe(0)
    expect(out).toBe(`NAME  OWNER EMAIL
n0    longlonglonglonglonglonglonglong@example.org
n1    longlonglonglonglonglonglonglong@example.org
`)
    expect(err).toBe('Warning: Old.\n2 rows\n')
    expect(await cli('show 0')).toMatchObject({ out: '', err: 'Warning: Old.\nThere is none.\n' })
    expect((await cli('show 2 --quiet')).err).toBe('')
  })

  test('a terminal cuts what is too wide for it', async () => {
    const { out } = await cli('sh 1 --no-color', { columns: 30 })
    expect(out.split('\n')).toEqual(['NAME  OWNER EMAIL', 'n0    longlonglonglonglonglon…', ''])
    const narrow = await cli('show 1 --no-color', { columns: 20 })
    expect(narrow).toMatchObject({
      out: 'NAME …\r\nn0\r\n'.replaceAll('\r', ''),
      err: expect.stringContaining('+1 column: --wide\n') as string,
    })
    expect((await cli('show 1 --no-color --quiet', { columns: 20 })).err).toBe('')
  })

  test('10,000 rows are all shown', async () => {
    const { out } = await cli('show 10000')
    expect(out.split('\n')).toHaveLength(10_002)
  })

  test('--json gives one document, before or after the command', async () => {
    for (const line of ['--json show 1 --auto-save no --keep', 'show 1 -a no --keep --json']) {
      const { json, err, code } = await cli(line)
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(json).toEqual({
        status: 0,
        message: '1 rows',
        warnings: ['Old\u001b[31m.'],
        list: [{ name: 'n0', owner_email: expect.any(String) as string }],
        input: { count: '1', auto_save: 'no', keep: true },
      })
    }
    expect((await cli('show --no-start --json')).json.input).toEqual({ 'no-start': true })
  })

  test('a dry run prints the plan', async () => {
    const { out } = await cli('drop demo --dry-run')
    const { json } = await cli('drop demo --dry-run --json')
    expect(out).toBe(`Drop "demo". Dry run, nothing was changed. Steps:
   1 Stop it
     -- point of no return: later steps are not rolled back --
   2 Remove it
Note: 3 MB will be gone.
`)
    expect(json).toMatchObject({ status: 0, plan })
    expect(await cli('show --dry-run')).toMatchObject({
      code: 2,
      err: expect.stringContaining('changes nothing') as string,
    })
  })
})

describe('failures', () => {
  test.each([
    ['ERR_FAILED', 1],
    ['ERR_SETTINGS', 2],
    ['ERR_NOT_FOUND', 3],
    ['ERR_PROTECTED', 4],
    ['ERR_BUSY', 5],
    ['ERR_ROLLED_BACK', 6],
    ['ERR_ATTENTION', 7],
  ])('%s ends with %i and says what to do', async (errorCode, expected) => {
    expect(await cli(`fail ${errorCode}`)).toMatchObject({
      code: expected,
      out: '',
      err: `manager: It is ${errorCode}.\n  | line 1\n  | line 2\n  Do this.\n  Try: manager logs demo\n`,
    })
    expect(await cli(`fail ${errorCode} --json`)).toMatchObject({
      code: expected,
      err: '',
      json: {
        status: expected,
        code: errorCode,
        message: `It is ${errorCode}.`,
        operation: 'op1',
        command: 'logs demo',
      },
    })
  })

  test('names that clients of other managers know work, and help leaves them out', async () => {
    expect((await cli('fetch-all 2 --json')).json).toMatchObject({ status: 0, message: '2 rows' })
    expect((await cli('--help')).out).not.toContain('fetch-all')
  })

  test('in the shell of an instance its name may be left out, unless another home is chosen', async () => {
    const inShell = async (line: string) => (await cli(line, { env: { STEWARD_INSTANCE: 'demo' } })).json
    expect(await inShell('drop --yes --json')).toMatchObject({ status: 0, item: { name: 'demo' } })
    expect(await inShell('drop other --yes --json')).toMatchObject({ item: { name: 'other' } })
    expect(await inShell('drop other more --yes --json')).toMatchObject({ code: 'ERR_USAGE' })
    expect(await inShell('show 1 --json')).toMatchObject({ message: '1 rows' })
    expect(await inShell('drop --yes --json --home /elsewhere')).not.toMatchObject({ item: { name: 'demo' } })
  })

  test('an unexpected error is one line, and all of it with --verbose', async () => {
    expect((await cli('fail plain')).err).toBe('manager: It broke.\n  For details, add --verbose.\n')
    expect((await cli('fail plain --verbose')).err).toMatch(/TypeError: It broke\.\n\s+at /)
  })

  test.each([
    ['frob', 'Unknown command "frob".\n  Try: manager --help'],
    ['sho', 'Unknown command "sho".\n  Did you mean "show" or "sh"?\n  Try: manager --help'],
    ['shw', 'Unknown command "shw".\n  Did you mean "show" or "sh"?'],
    ['hidden', 'Unknown command "hidden".'],
    ['pet list', 'Unknown command "pet".\n  Did you mean "pets"'],
    ['pets-list', 'Unknown command "pets-list".\n  Did you mean "pets list"?'],
    ['pets fed rex', 'Unknown command "pets fed".\n  Did you mean "pets feed"?'],
    ['pets rex tom', 'Too many arguments'],
    ['pets feed rex tom', 'Too many arguments'],
    ['pets feed --later', 'Unknown option "--later".\n  Try: manager pets feed --help'],
    ['pets feed --soon', 'Unknown option "--soon".\n  Did you mean --json?'],
    ['toys lst', 'Unknown command "toys lst".\n  Did you mean "toys list"?\n  Try: manager toys --help'],
    ['help pets fed', 'Unknown command "pets fed".\n  Did you mean "pets feed"?'],
    ['drop', 'Which instance? Usage: manager drop <name>\n  Try: manager drop --help'],
    ['fail', 'Which code? Usage: manager fail <code>'],
    ['show 1 2', 'Too many arguments'],
    ['show --kep', 'Unknown option "--kep".\n  Did you mean --keep?'],
    ['show --auto-save', 'argument missing'],
    ['show --home', 'argument missing'],
    ['fail wait --wait=soon', '--wait takes a number of seconds, not "soon".'],
  ])('%j is wrong usage', async (line, text) => {
    const { code, out, err } = await cli(line)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(text)
    expect((await cli(`--json ${line}`)).json).toMatchObject({ status: 2, code: 'ERR_USAGE' })
  })

  test.each([
    ['fail wait', '0'],
    ['fail wait --wait', 'Infinity'],
    ['fail --wait wait', 'Infinity'],
    ['--wait fail wait', 'Infinity'],
    ['fail wait --wait 2.5', '2500'],
    ['fail wait --wait=2', '2000'],
  ])('%j waits %s ms', async (line, ms) => {
    expect((await cli(line)).err).toContain(`Waited ${ms}.`)
  })
})

describe('help', () => {
  test('of all commands is grouped; of one it has its examples', async () => {
    const all = await cli('--help')
    expect(all).toMatchObject({ code: 0, err: '' })
    expect(all.out).toContain('Instances:\n  show|sh [count]')
    expect(all.out).not.toContain('hidden')
    const show = await cli('show --help')
    expect(show.out).toContain('Examples:\n  manager show 3')
    expect(show.out).toContain('-a, --auto-save <yes|no>')
    expect(show.out).not.toContain('--dry-run')
    expect((await cli('help show')).out).toBe(show.out)
    expect((await cli('help sh')).out).toBe(show.out)
    expect((await cli('help --all')).out).toBe(all.out)
    expect((await cli('help --all --home /nowhere --no-color')).out).toBe(all.out)
    expect((await cli('help')).out).toMatch(/^Usual commands:\n[^]*All commands: manager help --all\n$/)
    expect(await cli('help frob')).toMatchObject({ code: 2, out: '' })
    expect((await cli('drop --help')).out).toContain('--dry-run')
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
    expect((await cli('--version')).out).toBe(`${version}\n`)
  })
})

describe('without a command', () => {
  const statusOf = (state: string): Action => ({
    ...base,
    name: 'status',
    aliases: ['st'],
    summary: 'Show the status of an instance, or of the whole manager',
    parameters: [{ ...name, required: false }],
    view: { type: 'record' },
    handler: async () => {
      if (state === 'broken') throw new ManagerError('ERR_FAILED', 'It is broken.')
      return { message: '1 instance', item: { state } }
    },
  })
  const withStatus = (state: string) => (home: string) => {
    const [manager, status] = [fakeManager(home), statusOf(state)]
    const perform: Manager['perform'] = async (_, input, caller) =>
      status.handler({ context: undefined as never, input, caller })
    return { ...manager, actions: [...actions, status], perform }
  }

  test('the state is shown, then the usual commands as far as there is room', async () => {
    writeFileSync(join(folder, 'config.sh'), '')
    const { code, out, err } = await cli('', { createManager: withStatus('well'), columns: 40 })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out.replaceAll('\r', '')).toBe(`state: well

Usual commands:
  status [name]  Show the status of an …

All commands: manager help --all
`)
    expect(homes.at(-1)).toBe(folder)
    const piped = await cli('', { createManager: withStatus('well') })
    expect(piped.out).toContain('\n  status [name]  Show the status of an instance, or of the whole manager\n')
  })

  test('where there is no manager, how to create one is said; one that does not answer is a failure', async () => {
    const env = { APPS_HOME: join(folder, 'none') }
    const none = await cli('', { createManager: withStatus('well'), env })
    expect(none).toMatchObject({ code: 0, err: '' })
    expect(none.out).toMatch(/^There is no manager here yet\. To create one, run: manager init\n\nUsual commands:\n/)
    writeFileSync(join(folder, 'config.sh'), '')
    const broken = await cli('', { createManager: withStatus('broken') })
    expect(broken).toEqual({ code: 1, out: '', err: 'manager: It is broken.\n', json: undefined })
  })
})

describe('commands of two words', () => {
  test.each([
    ['pets list rex', 'pets list rex'],
    ['pets rex', 'pets list rex'],
    ['pets', 'pets list undefined'],
    ['pets --quiet rex', 'pets list rex'],
    ['pets list feed', 'pets list feed'],
    ['pets feed rex', 'pets feed rex'],
    ['feed rex', 'pets feed rex'],
    ['--quiet pets --no-color feed rex --verbose', 'pets feed rex'],
    ['toys list', 'toys list undefined'],
  ])('%j is %j', async (line, expected) => {
    expect(await cli(line)).toMatchObject({ code: 0, out: `${expected}\n` })
    expect((await cli(`${line} --json`)).json).toMatchObject({ message: expected })
  })

  test('are listed in the help of all and of their first word, and have their own', async () => {
    const all = await cli('--help')
    expect(all.out).toMatch(
      /pets list \[name\] +Do pets list\n +pets feed \[name\] +Do pets feed\n +toys list \[name\]/,
    )
    expect(all.out).not.toMatch(/^ {2}(pets \[|feed)/m)
    const pets = await cli('pets --help')
    expect(pets.out).toContain('Usage: manager pets <command> [options]')
    expect(pets.out).toMatch(/pets list \[name\] .*\n +pets feed \[name\]/)
    expect(pets.out).not.toContain('toys')
    expect(await cli('toys')).toEqual(await cli('toys --help'))
    const feed = await cli('pets feed --help')
    expect(feed.out).toContain('Usage: manager pets feed [options] [name]')
    expect(feed.out).toContain('Examples:\n  manager pets feed rex')
    expect((await cli('help pets feed')).out).toBe(feed.out)
    expect((await cli('help pets')).out).toBe(pets.out)
  })
})

test('what is scheduled says in its log when it ran, which command it was, and how it ended', async () => {
  const env = { STEWARD_SURFACE: 'schedule' }
  const at = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`
  const good = await cli('show 1 --quiet', { env })
  expect(good.out).toMatch(new RegExp(`^${at} show started\\n[^]*\\n${at} show ended with code 0\\n$`))
  const bad = await cli('fail ERR_FAILED', { env })
  expect(bad.out).toMatch(new RegExp(`^${at} fail started\\n${at} fail ended with code 1\\n$`))
  expect((await cli('show 1 --json', { env })).json).toMatchObject({ status: 0 })
})

describe('before something is lost', () => {
  test('it is refused where the user cannot be asked', async () => {
    const expected =
      'All data of "demo" will be lost. Nothing was done, because there is no terminal to ask for confirmation.'
    expect(await cli('drop demo')).toMatchObject({ code: 4, err: expect.stringContaining(expected) as string })
    expect(await cli('drop demo --json', { columns: 80 })).toMatchObject({
      code: 4,
      json: { code: 'ERR_CONFIRMATION' },
    })
    expect(await cli('drop demo --yes')).toMatchObject({ code: 0, out: 'Dropped.\n' })
  })

  test('what is not there is said before any question', async () => {
    expect(await cli('drop ghost')).toMatchObject({
      code: 3,
      err: expect.stringContaining('no instance "ghost"') as string,
    })
    expect(await cli('drop ghost --json', { columns: 80 })).toMatchObject({ code: 3, json: { code: 'ERR_NOT_FOUND' } })
    expect(await cli('drop ghost', { columns: 100, typed: [] })).toMatchObject({ code: 3 })
  })

  test('there is no question where nothing is lost', async () => {
    expect(await cli('drop fresh')).toMatchObject({ code: 0, out: 'Dropped.\n' })
    expect(await cli('drop fresh', { columns: 100, typed: [] })).toMatchObject({ code: 0, out: 'Dropped.\n' })
    expect(await cli('dropall')).toMatchObject({ code: 4 })
    expect(await cli('dropall --as copy')).toMatchObject({ code: 0, out: 'Dropped.\n' })
  })

  test('the name is to be typed at a terminal', async () => {
    const after = 'Type its name'
    const typed = [
      { after, text: 'demi\r' },
      { after: 'Type "demo", or press', text: '\u007fo\r' },
    ]
    const { code, out, err } = await cli('drop demo', { columns: 100, typed })
    expect({ code, out }).toEqual({ code: 0, out: 'Dropped.\n' })
    expect(err).toContain('Note: 3 MB will be gone.')
    expect(err).toContain('All data of "demo" will be lost.')
    expect(await cli('drop demo', { columns: 100, typed: [{ after, text: '\u0003' }] })).toMatchObject({
      code: 4,
      out: '',
    })
  })

  test('what is about no instance is a question for yes or no, and no is the answer of Enter', async () => {
    const answer = (text: string) => cli('dropall', { columns: 100, typed: [{ after: 'Continue?', text }] })
    expect(await answer('\r')).toMatchObject({ code: 4, out: '' })
    expect(await answer('y')).toMatchObject({ code: 0, out: 'Dropped.\n' })
  })
})

describe('a value that is read', () => {
  test('comes from standard input, without its last line end', async () => {
    const read = async (input: string) => (await cli('keep --stdin --json', { input })).json
    expect(await read('s3cret\n')).toMatchObject({ value: 's3cret' })
    expect(await read('s3cret \r\n')).toMatchObject({ value: 's3cret ' })
    expect(await read('é\n\n')).toMatchObject({ value: 'é\n' })
    expect(await read('x'.repeat(70_000))).toMatchObject({ status: 2, code: 'ERR_USAGE' })
  })

  test('is only read with its flag, and not given twice', async () => {
    expect((await cli('keep --json', { input: 's3cret' })).json).toMatchObject({ value: null })
    expect((await cli('keep plain --json', { input: 's3cret' })).json).toMatchObject({ value: 'plain' })
    expect((await cli('keep plain --stdin --json', { input: 's3cret' })).json).toMatchObject({ code: 'ERR_USAGE' })
  })

  test('is asked for at a terminal, where it is not shown', async () => {
    const typed = (text: string) => ({ columns: 100, typed: [{ after: 'New value', text }] })
    const { code, out, err } = await cli('keep --stdin', typed('s3cret\r'))
    expect({ code, out }).toEqual({ code: 0, out: 'Kept.\n' })
    expect(err).not.toContain('s3cret')
    expect(await cli('keep --stdin', typed('\u0003'))).toMatchObject({ code: 4, out: '' })
  })
})

describe('where the name of an instance is missing', () => {
  /** A manager of instances with these names, which notes what it performs. */
  function managerOf(names: readonly string[]) {
    const performed: unknown[] = []
    const createManager = (home: string): Manager => ({
      ...fakeManager(home),
      async perform(action, input, caller) {
        performed.push([action, input.name])
        if (action !== 'list') return fakeManager(home).perform(action, input, caller)
        return { message: '', list: names.map((one) => ({ name: one, state: 'started' })) }
      },
    })
    return { performed, createManager }
  }
  const names = (count: number) => Array.from({ length: count }, (_, at) => `demo${at}`)
  const down = '\u001b[B'

  test('it is chosen from a list at a terminal', async () => {
    for (const line of ['drop --yes', 'drop --yes --']) {
      const { performed, createManager } = managerOf(names(20))
      const typed = [{ after: 'Which instance?', text: `${down}${down}\r` }]
      const { code, out, err } = await cli(line, { columns: 100, createManager, typed })
      expect({ code, out }).toEqual({ code: 0, out: 'Dropped.\n' })
      expect(err).not.toContain('Usage')
      expect(performed).toEqual([
        ['list', undefined],
        ['drop', 'demo2'],
      ])
    }
  })

  test('nothing is done when the user cancels', async () => {
    const { performed, createManager } = managerOf(names(2))
    const typed = [{ after: 'Which instance?', text: '\u0003' }]
    const { code, err } = await cli('drop --yes', { columns: 100, createManager, typed })
    expect(code).toBe(4)
    expect(err).toContain('Nothing was done.')
    expect(performed).toEqual([['list', undefined]])
  })

  test('it is asked for without a terminal, with --json, without instances, and where they are many', async () => {
    const usage = 'manager: Which instance? Usage: manager drop <name>\n  Try: manager drop --help\n'
    for (const count of [0, 21])
      expect(await cli('drop', { columns: 100, ...managerOf(names(count)) })).toMatchObject({ code: 2, err: usage })
    const { performed, createManager } = managerOf(names(2))
    expect(await cli('drop', { createManager })).toMatchObject({ code: 2, err: usage })
    expect((await cli('drop --json', { columns: 100, createManager })).json).toMatchObject({ code: 'ERR_USAGE' })
    expect((await cli('fail', { columns: 100, createManager })).err).toContain('Which code?')
    expect(performed).toEqual([])
    const broken = (home: string): Manager => ({
      ...fakeManager(home),
      perform: () => Promise.reject(new Error('no list')),
    })
    expect(await cli('drop', { columns: 100, createManager: broken })).toMatchObject({ code: 2, err: usage })
  })
})

describe('streams, files and programs', () => {
  test('a stream ends with Ctrl-C, though what makes it may not heed it', async () => {
    for (const line of ['stream', 'stream --deaf']) {
      const { code, out } = await cli(line, { signals: [{ after: 'line 2', signal: 'SIGINT' }] })
      expect(code).toBe(130)
      expect(out.split('\n').slice(0, 3)).toEqual(['line 0', 'line 1', 'line 2'])
    }
  })

  test('a stream ends well when its reader has gone', async () => {
    expect(await cli('stream', { closeAfter: 20 })).toMatchObject({ code: 0, err: '' })
  })

  test('a stream for programs is JSON line by line', async () => {
    const { out } = await cli('stream --json', { signals: [{ after: 'line 1', signal: 'SIGTERM' }] })
    expect(JSON.parse(out.split('\n')[1] ?? '')).toEqual({ line: 'line 1' })
  })

  test('a file is written whole, under its name or another, and never over one that is there', async () => {
    const path = join(folder, 'data.bin')
    const warning = 'Warning: ef was left out.\n'
    expect(await cli('file')).toMatchObject({ code: 0, out: `data.bin was written to ${path}.\n`, err: warning })
    expect(readFileSync(path, 'utf8')).toBe('abcd')
    expect(await cli('file')).toMatchObject({ code: 4, err: expect.stringContaining('already exists') as string })
    expect(await cli('file --output other.bin --json')).toMatchObject({
      json: { file: join(folder, 'other.bin'), warnings: ['ef was left out.'] },
    })
    expect(await cli('file --output -')).toMatchObject({ code: 0, out: 'abcd', err: warning })
    expect(await cli('file --output -', { columns: 80 })).toMatchObject({ code: 2, out: '' })
    expect(await cli('file --output no/such/folder')).toMatchObject({ code: 1 })
    expect(existsSync(join(folder, 'no'))).toBe(false)
  })

  test('a program has our folder and environment, and its exit code is ours', async () => {
    const out = join(folder, 'out.txt')
    expect(await cli(`program`, { env: {} })).toMatchObject({ code: 2 })
    const script = `echo $GREETING $HOME_OF > ${out}; exit 7`
    const options = { cwd: folder, createManager: fakeManager, env: { PATH: process.env.PATH, HOME_OF: 'me' } }
    expect(await run(['program', script], options)).toMatchObject({ code: 7 })
    expect(readFileSync(out, 'utf8')).toBe('hello me\n')
    expect(await run(['program', 'kill -9 $$'], options)).toMatchObject({ code: 137 })
    expect(await run(['program', 'missing'], options)).toMatchObject({
      code: 3,
      err: 'manager: no-such-program is not installed.\n',
    })
  })
})

describe('Ctrl-C', () => {
  test('cancels; the exit code says so', async () => {
    const { code, err } = await cli('slow', { signals: [{ after: 'Slow work', signal: 'SIGINT' }] })
    expect(code).toBe(130)
    expect(err).toBe(`Slow work …

Cancelling; press Ctrl-C again to stop immediately …
manager: Cancelled. All changes were rolled back.
`)
  })

  test('twice ends at once', async () => {
    const signals = [
      { after: 'Slow work', signal: 'SIGTERM' },
      { after: 'Cancelling', signal: 'SIGTERM' },
    ] as const
    const { code, err } = await cli('slow --deaf', { signals })
    expect(code).toBe(143)
    expect(err).toContain('Stopped immediately. The next command will repair the instance.')
  })
})

describe("the manager's home", () => {
  const homeOf = async (line: string, env: RunOptions['env'] = {}) => {
    homes.length = 0
    await cli(line, { env: { HOME: '/home/ann', ...env } })
    return homes.at(-1)
  }

  test('is named by an option, the environment, or found', async () => {
    expect(await homeOf('show')).toBe('/home/ann/.steward')
    expect(await homeOf('show', { APPS_HOME: '/srv/apps' })).toBe('/srv/apps')
    expect(await homeOf('show --home there', { APPS_HOME: '/srv/apps' })).toBe(join(folder, 'there'))
    expect(await homeOf('--home /there show')).toBe('/there')
    mkdirSync(join(folder, '.manager'))
    writeFileSync(join(folder, '.manager', 'config.sh'), '')
    expect(await homeOf('show')).toBe(join(folder, '.manager'))
    writeFileSync(join(folder, 'config.sh'), '')
    expect(await homeOf('show')).toBe(folder)
  })
})
