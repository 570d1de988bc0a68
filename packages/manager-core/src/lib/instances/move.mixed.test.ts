/** @module-tag mixed */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager, type TestManagerOptions } from '../testing/create-test-manager.js'
import { secondRuntime } from '../testing/second-runtime.js'
import { writeHook } from '../testing/write-hook.js'

let test: TestManager
let problem: string | undefined

afterEach(() => {
  problem = undefined
  return test?.close()
})

const second = secondRuntime()
/** Takes an instance, and starts nothing. */
const unwilling = {
  runs: second.runs,
  make: () => ({
    ...second.make({} as never),
    name: 'unwilling',
    define: async () => undefined,
    undefine: async () => undefined,
    start: () => Promise.reject(new Error('the engine is full')),
  }),
}
const runtimes = {
  second,
  unwilling,
  sick: secondRuntime({ problem: () => problem }),
  java: secondRuntime({ runs: ['webapp'] }),
}

async function managerWith(options: TestManagerOptions = {}): Promise<TestManager> {
  test = await createTestManager({ runtimes, ...options })
  return test
}

const notesOf = (name: string) => readFileSync(test.path(name, 'data', 'database.db'))
const seenBy = async (name: string, runtime: string) => {
  const { id } = test.instance(name)
  return test.context.runtimes.named(runtime).observe({ id, folder: test.path(name) })
}
const runtimeOf = (name: string) => test.instance(name).runtime

describe('move', () => {
  it('lets another runtime run it, with its data, name and port; and back', { tags: 'core' }, async () => {
    const { perform, path, instance, home } = await managerWith()
    await perform('add', { name: 'demo' })
    for (const hook of ['pre-start', 'post-start', 'pre-stop'] as const)
      writeHook(home, hook, `echo ${hook} "$@" >> "$APPS_HOME/hooked"`)
    const [before, data] = [instance('demo'), notesOf('demo')]
    const { pids } = await seenBy('demo', 'process')
    const { message, item } = await perform('move', { name: 'demo', to: 'second' })
    expect(message).toBe('Instance "demo" now has the runtime "second".')
    expect(item).toMatchObject({ runtime: 'second', observed: 'started' })
    expect(instance('demo')).toEqual({ ...before, runtime: 'second', updated: instance('demo').updated })
    expect(notesOf('demo')).toEqual(data)
    expect(readFileSync(`${home}/hooked`, 'utf8')).toBe('pre-start demo\npost-start demo\n')
    expect((await seenBy('demo', 'process')).pids).toEqual([])
    const there = await seenBy('demo', 'second')
    expect(there.state).toBe('started')
    expect(there.pids).not.toEqual(pids)
    expect((await perform('get', { name: 'demo' })).item).toMatchObject({ runtime: 'second', observed: 'started' })
    expect((await perform('list', { runtime: 'second' })).list).toMatchObject([{ name: 'demo', runtime: 'second' }])
    expect((await perform('list', { runtime: 'process' })).list).toEqual([])
    expect((await perform('ps', { name: 'demo' })).list).not.toEqual([])

    await perform('move', { name: 'demo', to: 'process' })
    expect((await seenBy('demo', 'process')).state).toBe('started')
    expect(readdirSync(path('demo'))).not.toContain('second')
    expect(notesOf('demo')).toEqual(data)
    const history = test.context.registry.history({ instance: before.id })
    expect(history.map(({ action, parameters }) => `${action} ${JSON.stringify(parameters)}`)).toEqual([
      expect.stringMatching(/^add /),
      expect.stringMatching(/^move .*"to":"second"/),
      expect.stringMatching(/^move .*"to":"process"/),
    ])
  })

  it('leaves one stopped that is stopped, and does nothing to one that is there already', async () => {
    const { perform, instance } = await managerWith()
    await perform('add', { name: 'demo', 'no-start': true })
    await perform('move', { name: 'demo', to: 'second' })
    expect(instance('demo')).toMatchObject({ runtime: 'second', desired: 'stopped', observed: 'stopped' })
    expect((await seenBy('demo', 'second')).pids).toEqual([])
    const operations = async () => ((await perform('operations')).list ?? []).length
    const count = await operations()
    const { message } = await perform('move', { name: 'demo', to: 'second' })
    expect(message).toBe('"demo" already has the runtime "second".')
    expect(await operations()).toBe(count)
    await perform('start', { name: 'demo' })
    expect((await seenBy('demo', 'second')).state).toBe('started')
    await perform('delete', { name: 'demo' })
    await perform('undelete', { entry: 'demo' })
    expect(instance('demo')).toMatchObject({ runtime: 'second', observed: 'started' })
  })

  it('is undone when it does not start there: it runs as before', { tags: 'core' }, async () => {
    const { perform, instance, path } = await managerWith()
    await perform('add', { name: 'demo' })
    const [before, data] = [instance('demo'), notesOf('demo')]
    await expect(perform('move', { name: 'demo', to: 'unwilling' })).rejects.toMatchObject({
      code: 'ERR_ROLLED_BACK',
      message: expect.stringContaining('the engine is full'),
    })
    expect(instance('demo')).toEqual({ ...before, updated: instance('demo').updated })
    expect((await seenBy('demo', 'process')).state).toBe('started')
    expect(notesOf('demo')).toEqual(data)
    expect(readdirSync(path('demo'))).not.toContain('second')
  })

  it('is refused, with what there is, before anything is touched', { tags: 'core' }, async () => {
    const { perform } = await managerWith()
    await perform('add', { name: 'demo' })
    problem = 'The engine does not run'
    const { pids } = await seenBy('demo', 'process')
    const refused = (to?: string) =>
      perform('move', { name: 'demo', ...(to !== undefined && { to }) }).then(
        () => undefined,
        (error: unknown) => error,
      )
    expect(await refused('docker')).toMatchObject({
      code: 'ERR_USAGE',
      message: 'Unknown runtime "docker".',
      help: expect.stringMatching(/^Usable here: process, .*second.*\. .*sick: The engine does not run\./),
    })
    expect(await refused('toString')).toMatchObject({ code: 'ERR_USAGE' })
    expect(await refused('sick')).toMatchObject({
      code: 'ERR_STATE',
      message: 'The runtime "sick" cannot be used here: The engine does not run.',
    })
    expect(await refused('java')).toMatchObject({
      code: 'ERR_STATE',
      message: 'The runtime "java" cannot run Node applications.',
    })
    expect(await refused()).toMatchObject({ code: 'ERR_USAGE', help: expect.stringContaining('process') })
    expect((await seenBy('demo', 'process')).pids).toEqual(pids)
    expect(runtimeOf('demo')).toBe('process')
  })

  it('brings one back whose runtime is gone, which breaks nothing else meanwhile', async () => {
    const { perform, context } = await managerWith()
    await perform('add', { name: 'demo', 'no-start': true })
    await perform('add', { name: 'other' })
    context.registry.transaction((writer) =>
      writer.updateInstance(test.instance('demo').id, { runtime: 'plugin', desired: 'started', observed: 'started' }),
    )
    const { list } = await perform('list')
    expect(list).toMatchObject([
      { name: 'demo', observed: 'unknown', runtime: 'plugin' },
      { name: 'other', observed: 'started', runtime: 'process' },
    ])
    for (const action of ['get', 'status'])
      expect((await perform(action, { name: 'demo' })).item).toMatchObject({ runtime: 'plugin' })
    await perform('status')
    const found = (await perform('doctor')).list as readonly { readonly check: string; readonly message: string }[]
    expect(found.filter(({ check }) => check === 'runtime').map(({ message }) => message)).toEqual([
      'The runtime "plugin" is not available here.',
      'Instances run as processes.',
    ])
    expect((await perform('runtimes')).list).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'process', usable: 'yes', default: 'yes', instances: 1, runs: 'node' }),
        expect.objectContaining({ name: 'plugin', usable: 'no', default: 'no', instances: 1, runs: '' }),
      ]),
    )
    await expect(perform('start', { name: 'demo' })).rejects.toMatchObject({
      message: expect.stringContaining('The runtime "plugin" is not available here.'),
    })
    const { plan } = await perform('move', { name: 'demo', to: 'process' }, { dryRun: true })
    expect(plan?.notes.join()).toContain('Processes that may still run there are not stopped')
    await perform('move', { name: 'demo', to: 'process' })
    expect(test.instance('demo')).toMatchObject({ runtime: 'process', observed: 'started' })
  })
})

describe('the runtime of a new instance', () => {
  it('is what was asked for, else that of its source, its version, or the manager', async () => {
    const { perform, template, home } = await managerWith({ config: ['APPS_RUNTIME=second'] })
    const stopped = { 'no-start': true }
    await perform('add', { name: 'demo' })
    expect([runtimeOf('demo'), (await seenBy('demo', 'second')).state]).toEqual(['second', 'started'])
    await perform('add', { name: 'said', runtime: 'process', ...stopped })
    await perform('clone', { name: 'said', new: 'copied', ...stopped })
    await perform('clone', { name: 'said', new: 'other', runtime: 'second', ...stopped })
    expect(['said', 'copied', 'other'].map(runtimeOf)).toEqual(['process', 'process', 'second'])
    writeFileSync(`${home}/version-1.0.sh`, `APPS_TEMPLATE=folder:${template}\nAPPS_RUNTIME=process\n`)
    await perform('add', { name: 'versioned', ...stopped })
    expect(runtimeOf('versioned')).toBe('process')
    writeFileSync(`${home}/version-1.0.sh`, `APPS_TEMPLATE=folder:${template}\nAPPS_RUNTIME=docker\n`)
    await expect(perform('add', { name: 'wrong' })).rejects.toMatchObject({
      code: 'ERR_SETTINGS',
      message: 'APPS_RUNTIME is "docker" (version-1.0.sh), which is not a known runtime.',
    })
    const found = (await perform('doctor')).list as readonly { readonly check: string; readonly message: string }[]
    expect(found.filter(({ check }) => check === 'runtime').map(({ message }) => message)).toEqual([
      'The runtime "docker" is not available here.',
      'Instances run beside the others.',
      'Instances run as processes.',
    ])
  })

  it('is one that runs such applications, when the usual one does not', async () => {
    const { perform } = await managerWith({ config: ['APPS_RUNTIME=java'] })
    await perform('add', { name: 'demo', 'no-start': true })
    expect(runtimeOf('demo')).toBe('process')
    await expect(perform('add', { name: 'web', runtime: 'java' })).rejects.toMatchObject({
      code: 'ERR_STATE',
      help: expect.stringContaining('process'),
    })
  })

  it('must be there, and usable; else nothing is made', async () => {
    const { perform, context } = await managerWith({ config: ['APPS_RUNTIME=docker'] })
    await expect(perform('add', { name: 'demo' })).rejects.toMatchObject({
      code: 'ERR_SETTINGS',
      message: 'APPS_RUNTIME is "docker" (config.sh), which is not a known runtime.',
    })
    problem = 'The engine does not run.'
    await expect(perform('add', { name: 'demo', runtime: 'sick' })).rejects.toMatchObject({ code: 'ERR_STATE' })
    await expect(perform('add', { name: 'demo', runtime: 'nothing' })).rejects.toMatchObject({ code: 'ERR_USAGE' })
    expect(context.registry.count()).toBe(0)
  })

  it('that is created from a backup is what ran it, where that can be used, else the usual one', async () => {
    const { perform, instance } = await managerWith()
    await perform('add', { name: 'demo', runtime: 'sick' })
    await perform('save', { name: 'demo' })
    await perform('restore', { name: 'demo', as: 'again' })
    expect(runtimeOf('again')).toBe('sick')
    await perform('restore', { name: 'demo', as: 'said', runtime: 'second' })
    expect(runtimeOf('said')).toBe('second')
    await expect(perform('restore', { name: 'demo', runtime: 'second' })).rejects.toMatchObject({ code: 'ERR_USAGE' })
    problem = 'The engine does not run.'
    const { warnings = [] } = await perform('restore', { name: 'demo', as: 'usual' })
    expect(warnings.join()).toContain(
      'The runtime "sick" cannot be used here: The engine does not run. It gets "process"',
    )
    expect(instance('usual')).toMatchObject({ runtime: 'process', observed: 'started' })
  })
})
