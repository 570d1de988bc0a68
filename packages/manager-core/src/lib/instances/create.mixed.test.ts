/** @module-tag mixed */
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { sqlite } from '../store/sqlite.js'
import { createTestManager, type TestManager, type TestManagerOptions } from '../testing/create-test-manager.js'
import { processesOf } from '../testing/end-processes.js'
import { takePorts } from '../testing/take-ports.js'
import { writeHook } from '../testing/write-hook.js'

let manager: TestManager

afterEach(() => manager?.close())

async function managerWith(options: TestManagerOptions = {}): Promise<TestManager> {
  return (manager = await createTestManager(options))
}

function expectNothingLeft({ home, context }: TestManager): void {
  expect(context.registry.count()).toBe(0)
  expect(existsSync(join(home, 'instances')) ? readdirSync(join(home, 'instances')) : []).toEqual([])
  expect(processesOf(join(home, 'instances'))).toEqual([])
}

test('add makes an instance that runs, with a database and settings of its own', { tags: 'core' }, async () => {
  const { perform, instance, path, context } = await managerWith()
  const { message, item, operation } = await perform('add', { name: 'demo', from: '1.0' })
  const { port } = instance('demo')
  expect(message).toBe(
    `Instance "demo" (version 1.0, sqlite) is started: http://127.0.0.1:${port}\nLog in as admin. To show the password: manager iocredentials demo`,
  )
  expect(item).toMatchObject({ name: 'demo', status: 'started', protected: 'no', auto_update: 'yes', auto_save: 'no' })
  expect(instance('demo')).toMatchObject({ desired: 'started', source: 'template:1.0', operation: '' })
  expect((await fetch(`http://127.0.0.1:${port}/ping`)).status).toBe(200)
  expect(statSync(path('demo', 'settings.sh')).mode & 0o777).toBe(0o600)
  expect(existsSync(path('demo', 'data', 'database.db'))).toBe(true)

  const { password, adminPassword } = await context.settings.instance(path('demo'))
  const kept = JSON.stringify([
    context.registry.history(),
    context.registry[sqlite].prepare('select * from operation').all(),
    context.registry[sqlite].prepare('select * from step').all(),
  ])
  expect(kept).toContain(operation)
  for (const secret of [password, adminPassword]) expect(kept).not.toContain(secret.reveal())
})

test('add chooses a name of 10 letters and digits, and the default version', async () => {
  const { perform } = await managerWith()
  const { item } = await perform('add', { 'no-start': true })
  expect(item).toMatchObject({ name: expect.stringMatching(/^[a-z][a-z0-9]{9}$|^[a-z0-9]{10}$/), version: '1.0' })
})

test(
  'add takes options before the defaults of config.sh, and leaves it stopped when asked to',
  { tags: 'core' },
  async () => {
    const config = [
      'export APPS_DEFAULTPROTECTED=yes',
      'export APPS_DEFAULTAUTOSAVE=yes',
      'export APPS_DEFAULTAUTOUPDATE=no',
    ]
    const { perform, home } = await managerWith({ config })
    const byDefault = await perform('add', { name: 'one', 'no-start': true })
    expect(byDefault.item).toMatchObject({ protected: 'yes', auto_save: 'yes', auto_update: 'no', status: 'stopped' })
    const options = { protected: 'no', auto_save: 'no', auto_update: 'yes', database: 'sqlite' }
    const asked = await perform('add', { name: 'two', ...options, 'no-start': true })
    expect(asked.item).toMatchObject(options)
    expect(processesOf(join(home, 'instances'))).toEqual([])
  },
)

test('add runs its hooks with name, version and options; a failing post-hook is a warning', async () => {
  const { perform, home, instance } = await managerWith()
  writeHook(home, 'pre-add', 'echo "$@" > "$APPS_HOME/pre"; cat >> "$APPS_HOME/pre"')
  writeHook(home, 'post-add', 'echo "$USER $SERVICE_URL" > "$APPS_HOME/post"; echo too late; exit 3')
  const { warnings } = await perform('add', { name: 'demo', 'no-start': true })
  const [args, input] = readFileSync(join(home, 'pre'), 'utf8').split('\n')
  expect(args).toBe('demo 1.0 database=sqlite protected=no auto_save=no auto_update=yes')
  expect(JSON.parse(input as string)).toMatchObject({ action: 'add', instance: 'demo', version: '1.0' })
  expect(readFileSync(join(home, 'post'), 'utf8')).toBe(`demo http://127.0.0.1:${instance('demo').port}/io\n`)
  expect(warnings).toEqual([expect.stringContaining('too late')])
})

test('a failing pre-add hook stops it with its output, and nothing is left', async () => {
  const made = await managerWith()
  writeHook(made.home, 'pre-add', 'echo no room on Sundays; exit 1')
  await expect(made.perform('add', { name: 'demo' })).rejects.toMatchObject({
    code: 'ERR_ROLLED_BACK',
    output: expect.stringContaining('no room on Sundays'),
  })
  expectNothingLeft(made)
  expect(made.context.registry.history().at(-1)).toMatchObject({
    action: 'add',
    instance: 'demo',
    result: 'rolled-back',
  })
})

test(
  'a template that does not start leaves nothing, and the error has the end of its log',
  { tags: 'core' },
  async () => {
    const made = await managerWith({ fake: { start: 'fail' } })
    await expect(made.perform('add', { name: 'demo' })).rejects.toMatchObject({
      code: 'ERR_ROLLED_BACK',
      message: expect.stringContaining('did not start'),
      output: expect.stringContaining('fails to start, as it was told'),
      command: undefined,
    })
    expectNothingLeft(made)
  },
)

test('an instance that does not become healthy in time leaves nothing', async () => {
  const made = await managerWith({ fake: { health: 'KO' }, config: ['export APPS_STARTTIMEOUT=1'] })
  await expect(made.perform('add', { name: 'demo' })).rejects.toMatchObject({
    code: 'ERR_ROLLED_BACK',
    message: expect.stringContaining('is not healthy after 1 s'),
  })
  expectNothingLeft(made)
})

test('names that are none, taken or in use without regard to case are refused before anything is done', async () => {
  const { perform, context } = await managerWith()
  await perform('add', { name: 'demo', 'no-start': true })
  for (const name of ['..', '../up', 'a b c', 'ab', 'dêmo', '😀😀😀', 'x'.repeat(300), 'demo\n', '-rf', 'de.mo'])
    await expect(perform('add', { name }), name).rejects.toMatchObject({ code: 'ERR_NAME' })
  await expect(perform('add', { name: 'DEMO' })).rejects.toMatchObject({ code: 'ERR_NAME_TAKEN', outcome: 'refused' })
  expect(context.registry.history()).toHaveLength(1)
})

test('what cannot be had is refused: versions, databases, more than APPS_MAXINSTANCES', async () => {
  const { perform } = await managerWith({ config: ['export APPS_MAXINSTANCES=1', 'export APPS_DATABASES=sqlite'] })
  await expect(perform('add', { from: '9.9' })).rejects.toMatchObject({
    code: 'ERR_NOT_FOUND',
    message: 'No version or instance is named "9.9".',
    help: 'Versions: 1.0.',
  })
  await expect(perform('add', { database: 'postgresql' })).rejects.toMatchObject({ code: 'ERR_STATE' })
  await expect(perform('add', { database: 'oracle' })).rejects.toMatchObject({ code: 'ERR_STATE' })
  await expect(perform('add', { database: 'dbase' })).rejects.toMatchObject({ code: 'ERR_USAGE' })
  await perform('add', { name: 'demo', 'no-start': true })
  await expect(perform('add', { name: 'more' })).rejects.toMatchObject({
    code: 'ERR_LIMIT',
    message: 'APPS_MAXINSTANCES allows 1 instances, and there are 1.',
  })
})

/** The first of a hundred ports that the test has for itself. */
function portsOfTest(): number {
  const { range, release } = takePorts()
  onTestFinished(release)
  return Number.parseInt(range, 10)
}

test('ports that others listen on are passed over; without a free one it is refused', async () => {
  const first = portsOfTest()
  const made = await managerWith({ config: [`export APPS_PORTS=${first}-${first + 2}`] })
  const other = createServer().listen(first, '127.0.0.1')
  try {
    await once(other, 'listening')
    await made.perform('add', { name: 'one', 'no-start': true })
    await made.perform('add', { name: 'two', 'no-start': true })
    expect(made.context.registry.instances().map(({ port }) => port)).toEqual([first + 1, first + 2])
    await expect(made.perform('add', { name: 'three' })).rejects.toMatchObject({
      code: 'ERR_LIMIT',
      message: `No port of APPS_PORTS (${first}-${first + 2}) is free.`,
    })
  } finally {
    other.close()
  }
})

test('a home that cannot be written is reported, and nothing is left', async () => {
  const made = await managerWith()
  writeFileSync(join(made.home, 'instances'), 'not a folder')
  await expect(made.perform('add', { name: 'demo' })).rejects.toMatchObject({
    code: 'ERR_ROLLED_BACK',
    message: expect.stringContaining('Cannot copy the application'),
  })
  expect(made.context.registry.count()).toBe(0)
})

test('a dry run shows the steps and does nothing', async () => {
  const made = await managerWith()
  const { plan } = await made.perform('add', { name: 'demo' }, { dryRun: true })
  expect(plan?.title).toBe('Add instance "demo" (version 1.0, sqlite)')
  expect(plan?.steps.map(({ id }) => id)).toEqual([
    ...['reserve', 'pre-add', 'layout', 'settings', 'database', 'place', 'define', 'start', 'post-add'],
  ])
  expect(plan?.steps.filter(({ pointOfNoReturn }) => pointOfNoReturn).map(({ id }) => id)).toEqual(['post-add'])
  expectNothingLeft(made)
})

test('many at the same time from several managers get names and ports of their own', async () => {
  const { another, caller, context } = await managerWith()
  const managers = Array.from({ length: 4 }, () => another())
  const adds = Array.from({ length: 24 }, async (_, at) =>
    managers[at % 4]?.perform('add', { name: `demo${at}`, 'no-start': true }, caller),
  )
  await Promise.all(adds)
  const instances = context.registry.instances()
  expect(instances).toHaveLength(24)
  expect(new Set(instances.map(({ port }) => port)).size).toBe(24)
})

test('of two managers that choose the same port at the same time, one starts and the other undoes', async () => {
  const port = portsOfTest()
  const options: TestManagerOptions = { fake: { startMs: 500 }, config: [`export APPS_PORTS=${port}-${port}`] }
  const [one, other] = [await managerWith(options), await createTestManager(options)]
  try {
    const made = await Promise.allSettled([
      one.perform('add', { name: 'demo' }),
      other.perform('add', { name: 'demo' }),
    ])
    expect(made.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(one.context.registry.count() + other.context.registry.count()).toBe(1)
  } finally {
    await other.close()
  }
})
