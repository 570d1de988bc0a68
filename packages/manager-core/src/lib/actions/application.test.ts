import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

/** The real one: what tasks and unit tests do is its business. */
const applicationServer = fileURLToPath(new URL('../../../../app-server/dist/cli.js', import.meta.url))

let test: TestManager

beforeAll(async () => {
  test = await createTestManager({ applicationServer, refresh: false })
  rmSync(join(test.template, 'objects', 'Note.yaml'))
  writeFileSync(
    join(test.template, 'objects', 'note.yaml'),
    'name: Note\nindexable: true\nfields:\n  not_text: { type: string, length: 100, key: true }\n',
  )
  mkdirSync(join(test.template, 'tests'))
  writeFileSync(
    join(test.template, 'tests', 'notes.mjs'),
    'export function counts({ assert }) { assert.equal(1, 1) }\n',
  )
  writeFileSync(
    join(test.template, 'tests', 'broken.mjs'),
    'export function fails({ assert }) { assert.equal(1, 2, "one is not two") }\n',
  )
  await test.context.templates.refresh()
  await test.perform('add', { name: 'demo' })
})

afterAll(() => test.close())

describe('health', () => {
  it('answers what the instance says, as text and by section', async () => {
    const { message, data, exitCode } = await test.perform('health', { name: 'demo' })
    expect(message).toMatch(/^\[platform\]\nstatus=OK\n/)
    expect(data?.health).toMatchObject({
      ok: true,
      reason: null,
      platform: { status: 'OK' },
      application: { name: 'fake' },
    })
    expect(exitCode).toBe(0)
  })
})

describe('tasks', () => {
  it.each([
    ['task-buildindex', { object: 'Note' }],
    ['task-purgeall', { depth: '30' }],
    ['task-clearcache', {}],
  ])('%s runs on the instance and is in the history', async (task, parameters) => {
    const { message, exitCode } = await test.perform(task, { name: 'demo', ...parameters })
    expect([message, exitCode]).toEqual(['OK', 0])
    expect(test.context.registry.history().at(-1)).toMatchObject({
      action: task,
      instance: 'demo',
      result: 'ok',
      parameters,
    })
  })

  it('what the instance refuses is an error with its words', async () => {
    await expect(test.perform('task-buildindex', { name: 'demo', object: 'Nothing' })).rejects.toMatchObject({
      code: 'ERR_FAILED',
      message: expect.stringMatching(/^"demo" refused buildindex: .*Nothing/),
    })
    expect(test.context.registry.history().at(-1)).toMatchObject({ action: 'task-buildindex', result: 'failed' })
  })

  it('a dry run does not call it', async () => {
    const before = test.context.registry.history().length
    const { message } = await test.perform('task-purgelogs', { name: 'demo' }, { dryRun: true })
    expect(message).toBe('Would call purgelogs of "demo".')
    expect(test.context.registry.history()).toHaveLength(before)
  })
})

describe('unit tests', () => {
  it.each(['unitttests', 'unittests'])('%s: all passed', async (action) => {
    expect(await test.perform(action, { name: 'demo', test: 'notes' })).toMatchObject({ message: 'OK', exitCode: 0 })
  })

  it('a failed one is reported, and the answer is "no"', async () => {
    const { message, exitCode } = await test.perform('unittests', { name: 'demo', test: 'broken' })
    expect(message).toContain('one is not two')
    expect(exitCode).toBe(1)
  })

  it('one that is not there is not found, with those that are', async () => {
    await expect(test.perform('unittests', { name: 'demo', test: 'nosuch' })).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
      message: expect.stringMatching(/There is no test module "nosuch" .*there are: .*broken/),
    })
  })
})

describe('I/O credentials', () => {
  it('open the endpoint; nothing else does', async () => {
    const { data } = await test.perform('iocredentials', { name: 'demo' })
    const call = (password: unknown) =>
      fetch(data?.io_url as string, {
        method: 'POST',
        body: new URLSearchParams({ service: 'clearcache' }),
        headers: { Authorization: `Basic ${btoa(`${data?.io_user as string}:${password as string}`)}` },
      })
    expect((await call(data?.io_password)).status).toBe(200)
    expect((await call('wrong')).status).toBe(401)
  })

  it('of a clone name no administrator: the users are those of the data', async () => {
    await test.perform('clone', { name: 'demo', new: 'copy', 'no-start': true })
    const { message, data } = await test.perform('iocredentials', { name: 'copy' })
    expect(message).toContain('Administrator: the one in its data (instance:demo)')
    expect(data).not.toHaveProperty('admin_password')
    await test.perform('delete', { name: 'copy' })
  })

  it('are not in history, journal or logs', async () => {
    const { data } = await test.perform('iocredentials', { name: 'demo' })
    const database = readFileSync(test.context.home.database, 'latin1')
    for (const secret of [data?.io_password, data?.admin_password]) {
      expect(database).not.toContain(secret)
      expect(test.log('demo')).not.toContain(secret)
    }
  })
})

describe('access logs', () => {
  it('count the requests that were made', async () => {
    const { port } = test.instance('demo')
    const asked = 3
    for (let n = 0; n < asked; n++) await (await fetch(`http://127.0.0.1:${port}/api/rest/Counted${n}`)).text()
    await expect
      .poll(async () => {
        const { item } = await test.perform('accesslogs', { name: 'demo' })
        return (item as { paths: { name: string }[] }).paths.filter(({ name }) => name.includes('Counted')).length
      })
      .toBe(asked)
  })

  it('--html is a file', async () => {
    const { file } = await test.perform('accesslogs', { name: 'demo', html: true })
    expect(file).toMatchObject({ name: 'accesslogs-demo.html', mime: 'text/html' })
    expect(await text(file!.content())).toMatch(/^\s*<!doctype html>/i)
  })
})

/** What monitoring prints. */
async function lines(input: object): Promise<string[]> {
  const { stream } = await test.perform('monitor', { name: 'demo', interval: 1, ...input })
  const found: string[] = []
  for await (const line of stream ?? []) found.push(line)
  return found
}

describe('monitor', () => {
  it('says OK for each check and calls no hook', async () => {
    const hook = writeHook()
    expect(await lines({ count: 2 })).toEqual([
      expect.stringMatching(/Z demo OK \d+ ms$/),
      expect.stringMatching(/Z demo OK \d+ ms$/),
    ])
    expect(hook.calls()).toEqual([])
  })

  it('calls the hook with the reason when it does not answer, and once when it does again', async () => {
    const hook = writeHook()
    await test.perform('app-stop', { name: 'demo' })
    const { stream } = await test.perform('monitor', { name: 'demo', interval: 1, count: 60 })
    for await (const line of stream ?? []) {
      if (line.includes('ERROR unreachable') && hook.calls().length === 0)
        await test.perform('app-start', { name: 'demo' })
      if (hook.calls().includes('demo recovered')) break
    }
    expect(hook.calls()).toEqual(['demo unreachable', 'demo recovered'])
  })

  it('a slow answer is a warning', async () => {
    const hook = writeHook()
    expect(await lines({ count: 1, slow: 1 })).toEqual([expect.stringMatching(/Z demo (?:WARNING slow|OK) \d+ ms$/)])
    expect(hook.calls().filter((call) => call !== 'demo slow')).toEqual([])
  })

  it('ends when it is cancelled', async () => {
    const abort = new AbortController()
    const { stream } = await test.perform('monitor', { name: 'demo', interval: 3600 }, { signal: abort.signal })
    for await (const _line of stream ?? []) abort.abort()
  })
})

describe('a stopped instance', () => {
  beforeAll(() => test.perform('stop', { name: 'demo' }))

  it('health says that it is unreachable, and the answer is "no"', async () => {
    const { message, exitCode } = await test.perform('health', { name: 'demo' })
    expect(message).toBe('"demo" does not answer (unreachable).')
    expect(exitCode).toBe(1)
  })

  it('is monitored without an alarm, because it was to be stopped', async () => {
    const hook = writeHook()
    expect(await lines({ count: 1 })).toEqual([expect.stringMatching(/Z demo STOPPED 0 ms$/)])
    expect(hook.calls()).toEqual([])
  })

  it('a hook of monitoring that fails is reported', async () => {
    writeHook('exit 3')
    await test.perform('setstatus', { name: 'demo', status: 'started' })
    expect(await lines({ count: 1 })).toContainEqual(
      expect.stringMatching(/ demo hooks\/monitoring\.sh failed with code 3\.$/),
    )
    await test.perform('setstatus', { name: 'demo', status: 'stopped' })
  })

  it.each([
    ['task-purgeall', {}],
    ['unitttests', { test: 'notes' }],
  ])('%s needs it started', async (action, input) => {
    await expect(test.perform(action, { name: 'demo', ...input })).rejects.toMatchObject({
      code: 'ERR_STATE',
      command: 'start demo',
    })
  })
})

/** Makes `monitoring.sh`, which writes its arguments down. */
function writeHook(more = '') {
  const log = join(test.folder, `monitoring-${Math.random()}.log`)
  const file = join(test.context.home.hooks, 'monitoring.sh')
  mkdirSync(test.context.home.hooks, { recursive: true })
  writeFileSync(file, `#!/bin/sh\necho "$@" >> '${log}'\n${more}\n`)
  chmodSync(file, 0o755)
  return {
    calls(): string[] {
      try {
        return readFileSync(log, 'utf8').trimEnd().split('\n')
      } catch {
        return []
      }
    },
  }
}
