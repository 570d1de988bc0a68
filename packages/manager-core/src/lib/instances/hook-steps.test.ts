import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { OperationKind } from '../context.js'
import type { Caller, OperationEvent } from '../domain/caller.js'
import { Secret } from '../domain/secret.js'
import { createOperations } from '../operation/engine.js'
import { createJournal, type JournalEntry } from '../store/journal.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { writeHook } from '../testing/write-hook.js'
import { hookStep } from './hook-steps.js'

let test: TestManager
let marker: string
const folder = () => test.context.home.instance('abcdefgh').folder

beforeAll(async () => {
  test = await createTestManager({ refresh: false, config: ['APPS_HOOKTIMEOUT=60'] })
  marker = join(test.home, 'marker')
  // It is made before there are instances.
  test.context.registry.count()
  mkdirSync(folder(), { recursive: true })
  mkdirSync(test.context.home.hooks, { recursive: true })
  await test.context.settings.writeInstance(folder(), {
    context: '/',
    url: 'http://127.0.0.1:10000/io',
    user: 'service',
    password: new Secret('s3cret word'),
    adminUser: 'admin',
    adminPassword: new Secret('adm1n'),
    database: 'sqlite',
    databaseHost: undefined,
    databasePort: undefined,
    databaseName: 'data/database.db',
    databaseUser: '',
    databasePassword: new Secret(''),
    maxMemoryMb: undefined,
    others: {},
  })
})
afterAll(() => test.close())
beforeEach(() => {
  rmSync(test.context.home.hooks, { recursive: true })
  mkdirSync(test.context.home.hooks)
})

/** Puts a file between two hooks. */
const kind: OperationKind<{ readonly folder?: string }, Record<string, never>> = {
  kind: 'mark',
  locks: () => ['instance:abcdefgh'],
  inspect: async () => ({}),
  plan(request) {
    const instance = { id: 'abcdefgh', name: 'demo' }
    const options = { args: ['demo', '1.0'], folder: request.folder, instance, input: { instance } }
    return {
      title: 'Mark it',
      instance,
      steps: [
        hookStep({ ...options, hook: 'pre-start' }),
        {
          id: 'mark',
          title: 'Mark',
          do: async () => writeFileSync(marker, ''),
          undo: async () => rmSync(marker, { force: true }),
          check: () => (existsSync(marker) ? 'done' : 'not-done'),
        },
        { ...hookStep({ ...options, hook: 'post-start' }), pointOfNoReturn: true },
      ],
    }
  },
}

async function run(request: { readonly folder?: string } = { folder: folder() }) {
  rmSync(marker, { force: true })
  return test.context.operations.run(kind, request, test.caller)
}

it('runs hooks around, with the settings of the instance', async () => {
  const seen = join(test.home, 'seen')
  writeHook(
    test.home,
    'pre-start',
    `[ ! -e ${marker} ] && echo "$1 $2 $USER $SERVICE_URL $SERVICE_PASSWORD $APPS_HOME" > ${seen}`,
  )
  writeHook(test.home, 'post-start', `[ -e ${marker} ] && cat >> ${seen}`)
  expect((await run()).warnings).toEqual([])
  expect(readFileSync(seen, 'utf8')).toBe(
    `demo 1.0 demo http://127.0.0.1:10000/io s3cret word ${test.home}\n{"instance":{"id":"abcdefgh","name":"demo"}}`,
  )
})

it('stops and undoes the operation when a pre-hook fails, and shows what it printed, without secrets', async () => {
  writeHook(test.home, 'pre-start', 'echo "no licence for $SERVICE_PASSWORD"; exit 1')
  await expect(run()).rejects.toMatchObject({
    code: 'ERR_ROLLED_BACK',
    message: expect.stringContaining('hooks/pre-start.sh failed with code 1.') as string,
    output: 'no licence for ***\n',
    cause: { code: 'ERR_HOOK' },
  })
  expect(existsSync(marker)).toBe(false)
  const [last] = test.context.registry.history({ instance: 'abcdefgh', limit: 1 })
  expect(last).toMatchObject({ result: 'rolled-back' })
})

it('does not start when a pre-hook cannot be run', async () => {
  writeHook(test.home, 'pre-start', 'exit 0')
  chmodSync(join(test.context.home.hooks, 'pre-start.sh'), 0o600)
  await expect(run()).rejects.toThrow('is not executable')
  expect(existsSync(marker)).toBe(false)
})

it('warns when a post-hook fails, and continues', async () => {
  writeHook(test.home, 'post-start', 'seq 1 100; echo "sorry, $SERVICE_PASSWORD" >&2; exit 2')
  expect((await run()).warnings).toEqual(['hooks/post-start.sh failed with code 2.\n97\n98\n99\n100\nsorry, ***'])
  expect(existsSync(marker)).toBe(true)
})

it('a caller who cancels does not wait for a post-hook, and what was done stays', async () => {
  const begun = join(test.home, 'begun')
  writeHook(test.home, 'post-start', `touch ${begun}; sleep 50`)
  rmSync(marker, { force: true })
  const cancelled = new AbortController()
  const { signal } = cancelled
  const done = test.context.operations.run(kind, { folder: folder() }, { ...test.caller, signal })
  await expect.poll(() => existsSync(begun), { timeout: 20_000 }).toBe(true)
  cancelled.abort()
  expect((await done).warnings).toEqual([expect.stringMatching(/^hooks\/post-start\.sh was ended, because/)])
  expect(existsSync(marker)).toBe(true)
})

it('has no more than the name before an instance has settings', async () => {
  writeHook(test.home, 'pre-start', 'echo "$USER:$SERVICE_URL:"; exit 1')
  await expect(run({})).rejects.toMatchObject({ code: 'ERR_ROLLED_BACK', output: 'demo::\n' })
})

/** A caller of commands to which hooks do not apply. */
const without = (): Caller => ({ ...test.caller, withoutHooks: true })

it('a caller without hooks runs none, and is shown none', async () => {
  writeHook(test.home, 'pre-start', 'exit 1')
  const events: OperationEvent[] = []
  const request = { folder: folder() }
  rmSync(marker, { force: true })
  await test.context.operations.run(kind, request, { ...without(), onEvent: (event) => events.push(event) })
  expect(existsSync(marker)).toBe(true)
  expect(events.filter(({ type }) => type === 'planned')).toMatchObject([{ steps: [{ id: 'mark', title: 'Mark' }] }])
  expect(new Set(events.flatMap((event) => (event.type === 'step' ? [event.step] : [])))).toEqual(new Set(['mark']))
  const { steps } = await test.context.operations.plan(kind, request, without())
  expect(steps.map(({ id }) => id)).toEqual(['mark'])
})

it('recovery runs the hooks of an operation as its own caller would have', async () => {
  const seen = join(test.home, 'recovered')
  writeHook(test.home, 'post-start', `touch ${seen}`)
  const { registry, clock } = test.context
  const operations = createOperations({
    context: () => test.context,
    kinds: () => new Map([[kind.kind, kind]]),
    clock,
  })
  const journal = createJournal(registry, { clock })
  for (const [began, recovers, runs] of [
    [without(), test.caller, false],
    [test.caller, without(), true],
  ] as const) {
    const { operation } = await operations.run(kind, { folder: folder() }, began)
    rmSync(seen, { force: true })
    const entry = journal.entry(operation) as JournalEntry
    const id = `${operation}-left`
    journal.begin({ ...entry, id })
    for (const [seq, step] of ['pre-start', 'mark', 'post-start'].entries()) journal.intent(id, seq, step, undefined)
    expect(operations.stepsOf(entry)).toHaveLength(runs ? 3 : 1)
    expect(await operations.recover(recovers)).toMatchObject([{ operation: id, state: 'succeeded' }])
    expect(existsSync(seen)).toBe(runs)
  }
})
