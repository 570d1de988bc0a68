/**
 * @module-tag mixed
 * @module-tag continued
 */
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ManagerError } from '../../errors.js'
import { healthPlace } from '../application/health-place.js'
import { checkHealth } from '../runtime/health.js'
import { sqlite } from '../store/sqlite.js'
import { statOf } from '../system/process-table.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { processesOf } from '../testing/end-processes.js'

const patience = { interval: 20 }

let test: TestManager
beforeAll(async () => {
  test = await createTestManager()
  await test.perform('add', { name: 'demo' })
})
afterAll(() => test.close())

const refOf = (name: string) => ({ id: test.instance(name).id, folder: test.path(name) })
const stateOf = async (name: string) => (await test.context.runtimes.named('process').observe(refOf(name))).state
const isHealthy = async (name: string) => (await checkHealth(healthPlace(test.context, test.instance(name)))).ok
const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it succeeded'),
    (error: ManagerError) => error,
  )
const pidOf = (name: string, file: string) => Number(readFileSync(test.path(name, 'run', file), 'utf8').split(' ')[0])

function hook(name: string, ...lines: readonly string[]): void {
  const file = join(test.home, 'hooks', `${name}.sh`)
  mkdirSync(join(test.home, 'hooks'), { recursive: true })
  writeFileSync(file, ['#!/bin/sh', ...lines, ''].join('\n'))
  chmodSync(file, 0o755)
}

async function withConfig(lines: readonly string[], work: () => Promise<void>): Promise<void> {
  const file = join(test.home, 'config.sh')
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, before + lines.map((line) => `${line}\n`).join(''))
  await work().finally(() => writeFileSync(file, before))
}

describe('start and stop', () => {
  it(
    'change what is wanted and seen, say so when there is nothing to do, and are in the history',
    { tags: 'core' },
    async () => {
      expect(await test.perform('start', { name: 'demo' })).toEqual({
        message: `"demo" is already started: http://127.0.0.1:${test.instance('demo').port}`,
      })
      expect(await test.perform('stop', { name: 'DEMO' })).toMatchObject({ message: '"demo" is stopped.' })
      expect(test.instance('demo')).toMatchObject({ desired: 'stopped', observed: 'stopped', operation: '' })
      expect(processesOf(test.path('demo'))).toEqual([])
      expect(await test.perform('stop', { name: 'demo' })).toEqual({ message: '"demo" is already stopped.' })
      expect(await test.perform('start', { name: 'demo' })).toMatchObject({
        message: `"demo" is started: http://127.0.0.1:${test.instance('demo').port}`,
      })
      expect(test.instance('demo')).toMatchObject({ desired: 'started', observed: 'started', operation: '' })
      expect(await isHealthy('demo')).toBe(true)
      const done = test.context.registry.history({ instance: test.instance('demo').id, limit: 2 })
      expect(done.map(({ action, result }) => `${action} ${result}`)).toEqual(['stop ok', 'start ok'])
    },
  )

  it.each(['stop', 'stop by force', 'app-stop'])(
    '%s works while config.sh cannot be read; restart changes nothing then',
    async (how) => {
      await withConfig(['export APPS_STOPTIMEOUT=abc', 'if true; then'], async () => {
        const command = (name: string, input: Readonly<Record<string, string | boolean>>) =>
          test.another().perform(name, input, test.caller)
        expect(await failure(command('restart', { name: 'demo' }))).toMatchObject({ code: 'ERR_SETTINGS' })
        expect(await stateOf('demo')).toBe('started')
        const [action = ''] = how.split(' ')
        await command(action, { name: 'demo', ...(how.endsWith('force') && { force: true }) })
        expect(await stateOf('demo')).toBe('stopped')
        expect(test.instance('demo')).toMatchObject({ observed: 'stopped', operation: '' })
      })
      await test.perform(how === 'app-stop' ? 'app-start' : 'start', { name: 'demo' })
    },
  )

  it('only plan in a dry run', async () => {
    const { plan } = await test.perform('stop', { name: 'demo' }, { dryRun: true })
    expect(plan?.steps.map(({ id }) => id)).toEqual(['pre-stop', 'stop', 'post-stop'])
    expect(await stateOf('demo')).toBe('started')
  })

  it('restart is both; one that is stopped is only started', async () => {
    const old = pidOf('demo', 'application')
    const { message, item } = await test.perform('restart', { name: 'demo' })
    expect(message).toBe(`"demo" is restarted: http://127.0.0.1:${test.instance('demo').port}`)
    expect(item).toMatchObject({ name: 'demo', observed: 'started' })
    expect(pidOf('demo', 'application')).not.toBe(old)
    expect(statOf(old)).toBeUndefined()
    await test.perform('stop', { name: 'demo' })
    const { plan } = await test.perform('restart', { name: 'demo' }, { dryRun: true })
    expect(plan?.notes).toEqual(['It is not running, so it is only started.'])
    await test.perform('restart', { name: 'demo' })
    expect(test.instance('demo')).toMatchObject({ desired: 'started', observed: 'started' })
  })

  it('restart takes nothing down whose application cannot be loaded', async () => {
    const pid = pidOf('demo', 'application')
    test.tell('demo', { problems: ['app.yaml is missing'] })
    try {
      const error = await failure(test.perform('restart', { name: 'demo' }))
      expect(error).toMatchObject({
        code: 'ERR_STATE',
        message: expect.stringMatching(/^"demo" was not restarted and keeps running: .*app\.yaml is missing/),
      })
      expect(pidOf('demo', 'application')).toBe(pid)
      expect(test.instance('demo')).toMatchObject({ observed: 'started', operation: '' })
    } finally {
      test.tell('demo', {})
    }
  })

  it('run hooks around; a failing pre-hook refuses, a failing post-hook warns', async () => {
    const told = join(test.folder, 'told')
    for (const name of ['pre-stop', 'post-stop', 'pre-start', 'post-start'])
      hook(name, `echo "${name} $* $USER" >>'${told}'`, ...(name === 'post-start' ? ['echo sorry', 'exit 3'] : []))
    await test.perform('stop', { name: 'demo' })
    const { warnings } = await test.perform('start', { name: 'demo' })
    expect(readFileSync(told, 'utf8').trim().split('\n')).toEqual(
      ['pre-stop', 'post-stop', 'pre-start', 'post-start'].map((name) => `${name} demo demo`),
    )
    expect(warnings).toEqual([expect.stringContaining('sorry')])
    rmSync(told)
    await test.perform('stop', { name: 'demo', force: true })
    await test.perform('start', { name: 'demo' })
    expect(readFileSync(told, 'utf8').trim().split('\n')).toEqual([
      ...['pre-stop', 'post-stop'].map((name) => `${name} demo force=true demo`),
      ...['pre-start', 'post-start'].map((name) => `${name} demo demo`),
    ])
    hook('pre-stop', 'echo not today', 'exit 1')
    const error = await failure(test.perform('stop', { name: 'demo' }))
    expect(`${error.message} ${error.output}`).toContain('not today')
    expect(test.instance('demo')).toMatchObject({ desired: 'started', observed: 'started' })
    expect(await isHealthy('demo')).toBe(true)
    rmSync(join(test.home, 'hooks'), { recursive: true })
  })

  it('of an application that fails shows the end of its log, and leaves it stopped', async () => {
    await test.perform('stop', { name: 'demo' })
    test.tell('demo', { start: 'fail' })
    const error = await failure(test.perform('start', { name: 'demo' }))
    expect(error).toMatchObject({ code: 'ERR_ROLLED_BACK', command: 'logs demo' })
    expect(error.message).toContain('"demo" did not start: its application ended soon after its start.')
    expect(error.output).toContain('fails to start, as it was told')
    // The same in parts, each said once.
    expect(error).toMatchObject({
      title: 'demo did not start',
      reason: expect.stringContaining('fails to start, as it was told'),
      ending: 'Its application ended soon after its start. All changes were rolled back.',
    })
    expect(test.instance('demo')).toMatchObject({ desired: 'stopped', observed: 'stopped' })
    expect(processesOf(test.path('demo'))).toEqual([])
  })

  it('of one that does not answer, or is not well, ends after APPS_STARTTIMEOUT', async () => {
    for (const [fake, seconds, reason] of [
      [{ start: 'hang' }, 1, 'unreachable'],
      // On a busy machine, too, it answers before.
      [{ health: 'KO' }, 5, 'status-KO'],
    ] as const)
      await withConfig([`export APPS_STARTTIMEOUT=${seconds}`], async () => {
        test.tell('demo', fake)
        const { message } = await failure(test.perform('start', { name: 'demo' }))
        expect(message).toContain(`it is not healthy after ${seconds} s (${reason})`)
        expect(processesOf(test.path('demo'))).toEqual([])
      })
    test.tell('demo', {})
  })

  it('start that fails leaves an instance that runs as it was recorded', async () => {
    await test.perform('start', { name: 'demo' })
    await test.perform('setstatus', { name: 'demo', status: 'stopped' })
    const application = pidOf('demo', 'application')
    await withConfig(['export APPS_STARTTIMEOUT=1'], async () => {
      test.tell('demo', { health: 'KO' })
      const { code } = await failure(test.perform('start', { name: 'demo' }))
      expect(code).toBe('ERR_ROLLED_BACK')
      test.tell('demo', {})
    })
    expect(statOf(application)).toBeDefined()
    expect(test.instance('demo')).toMatchObject({ desired: 'stopped', observed: 'started' })
    await test.perform('stop', { name: 'demo' })
  })

  it('refuse a port that another program took', async () => {
    const { port } = test.instance('demo')
    const server = createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    const error = await failure(test.perform('start', { name: 'demo' }))
    server.close()
    expect(error).toMatchObject({
      code: 'ERR_STATE',
      message: expect.stringContaining(
        `"demo" cannot start: its port ${port} is used by another program (process ${process.pid}: `,
      ) as string,
    })
    expect(test.instance('demo')).toMatchObject({ desired: 'stopped', observed: 'stopped' })
  })

  it('stop --force kills at once', { tags: 'core' }, async () => {
    await test.perform('start', { name: 'demo' })
    expect(await test.perform('stop', { name: 'demo', force: true })).toMatchObject({ message: '"demo" is stopped.' })
    expect(processesOf(test.path('demo'))).toEqual([])
    await test.perform('start', { name: 'demo' })
  })

  it('start does not wait for the pause after a crash', async () => {
    test.tell('demo', { start: 'fail' })
    process.kill(pidOf('demo', 'application'), 'SIGKILL')
    // It is started again after 1 s, fails, and after 2 s more, fails …
    const runtime = test.context.runtimes.named('process')
    await expect.poll(async () => (await runtime.observe(refOf('demo'))).lastExit?.code, patience).toBe(1)
    test.tell('demo', {})
    expect(await test.perform('start', { name: 'demo' })).toMatchObject({ message: expect.stringContaining('started') })
    expect(await runtime.observe(refOf('demo'))).toMatchObject({ state: 'started', restarts: 0 })
  })

  it('start leaves one alone that lost its supervisor', async () => {
    const application = pidOf('demo', 'application')
    process.kill(pidOf('demo', 'supervisor'), 'SIGKILL')
    await expect.poll(() => stateOf('demo'), patience).toBe('degraded')
    await test.perform('start', { name: 'demo' })
    expect(statOf(application)).toBeDefined()
    expect(test.instance('demo').observed).toBe('degraded')
    await test.perform('stop', { name: 'demo' })
    await test.perform('start', { name: 'demo' })
  })
})

describe('startall and setstatus', () => {
  it('setstatus records, touches nothing, and says when it is not so', async () => {
    expect(await test.perform('setstatus', { name: 'demo', status: 'stopped' })).toMatchObject({
      message: '"demo" is recorded as stopped.',
      warnings: ['It is started.'],
    })
    expect((await test.perform('get', { name: 'demo' })).item).toMatchObject({ status: 'stopped', observed: 'started' })
    expect(await isHealthy('demo')).toBe(true)
    await test.perform('setstatus', { name: 'demo', status: 'started' })
    expect(test.instance('demo')).toMatchObject({ desired: 'started', observed: 'started' })
    const [last] = test.context.registry.history({ limit: 1 })
    expect(last).toMatchObject({ action: 'setstatus', parameters: { status: 'started' } })
  })

  it('startall starts what should run and does not, and reports on each', { tags: 'core' }, async () => {
    await test.perform('add', { name: 'bad' })
    await test.perform('add', { name: 'quiet', 'no-start': true })
    test.tell('bad', { start: 'fail' })
    for (const name of ['demo', 'bad']) {
      process.kill(-pidOf(name, 'supervisor'), 'SIGKILL')
      await expect.poll(() => stateOf(name), patience).toBe('crashed')
    }
    const planned = await test.perform('startall', {}, { dryRun: true })
    expect(planned.list?.map((row) => (row as { name: string }).name)).toEqual(['bad', 'demo'])
    const { list, message, exitCode } = await test.perform('startall')
    expect(list).toEqual([
      { name: 'bad', result: 'failed', message: expect.stringContaining('did not start') },
      { name: 'demo', result: 'started', message: `http://127.0.0.1:${test.instance('demo').port}` },
    ])
    expect({ message, exitCode }).toEqual({ message: '1 started, 1 failed, 0 already running.', exitCode: 1 })
    expect(await isHealthy('demo')).toBe(true)
    expect(await stateOf('quiet')).toBe('stopped')
    expect(test.instance('bad').desired).toBe('started')
    await test.perform('delete', { name: 'bad', force: true })
    expect(await test.perform('startall')).toMatchObject({ list: [], exitCode: 0 })
  })
})

describe('application server', () => {
  it('app-stop and app-start leave the recorded status', async () => {
    expect(await test.perform('app-stop', { name: 'demo' })).toMatchObject({
      message: 'The application server of "demo" is stopped; app-start demo starts it.',
    })
    const { list } = await test.perform('list', { filter: 'demo' })
    expect(list).toMatchObject([{ status: 'started', observed: 'stopped' }])
    const stopped = await test.perform('app-status', { name: 'demo' })
    expect(stopped).toMatchObject({ item: { state: 'stopped', health: '' }, exitCode: 1 })
    expect((await test.perform('app-stop', { name: 'demo' })).message).toContain('already stopped')
    await test.perform('app-start', { name: 'demo' })
    expect((await test.perform('app-start', { name: 'demo' })).message).toContain('already started')
    const { item, exitCode } = await test.perform('app-status', { name: 'demo' })
    expect({ item, exitCode }).toMatchObject({
      item: { name: 'demo', state: 'started', health: 'OK', restarts: 0, debugger: '' },
      exitCode: 0,
    })
  })

  it('app-debug opens a debugger on loopback until the next start', async () => {
    const { data, warnings } = await test.perform('app-debug', { name: 'demo' })
    expect(data?.['debugger']).toMatch(/^127\.0\.0\.1:\d+$/)
    expect(warnings?.join()).toContain('can control it')
    const answer = (await (await fetch(`http://${String(data?.['debugger'])}/json/version`)).json()) as object
    expect(answer).toHaveProperty('Browser')
    expect(await test.perform('app-status', { name: 'demo' })).toMatchObject({ item: { debugger: data?.['debugger'] } })
    await test.perform('app-stop', { name: 'demo' })
    await test.perform('app-start', { name: 'demo' })
    expect(await test.perform('app-status', { name: 'demo' })).toMatchObject({ item: { debugger: '' } })
  })

  it('is for started instances only', async () => {
    for (const action of ['app-status', 'app-stop', 'app-start', 'app-debug'])
      await expect(test.perform(action, { name: 'quiet' })).rejects.toMatchObject({
        code: 'ERR_STATE',
        command: 'start quiet',
      })
  })
})

describe('looking into an instance', () => {
  it('ps shows its processes without secrets', async () => {
    const { list = [] } = await test.perform('ps', { name: 'demo' })
    expect(list).toHaveLength(2)
    expect(list[1]).toMatchObject({
      parent: (list[0] as { pid: number }).pid,
      command: expect.stringContaining('--data'),
    })
    const { password } = await test.context.settings.instance(test.path('demo'))
    expect(JSON.stringify(list)).not.toContain(password.reveal())
    expect((await test.perform('ps', { name: 'quiet' })).list).toEqual([])
  })

  it('logs shows the last lines, without secrets, and follows', async () => {
    writeFileSync(test.path('demo', 'logs', 'application.log'), 'first\nAuthorization: Bearer abc\nlast\n')
    expect(await test.perform('logs', { name: 'demo' })).toEqual({
      message: 'first\nAuthorization: Bearer ***\nlast',
      list: ['first', 'Authorization: Bearer ***', 'last'],
    })
    expect((await test.perform('logs', { name: 'demo', lines: 1 })).list).toEqual(['last'])
    expect((await test.perform('logs', { name: 'quiet' })).list).toEqual([])
    expect((await test.perform('logs', { name: 'demo', grep: 'AUTHORIZATION' })).list).toHaveLength(1)
    // What is not shown cannot be searched for.
    expect((await test.perform('logs', { name: 'demo', grep: 'abc' })).list).toEqual([])
    await expect(test.perform('logs', { name: 'demo', since: 'soon' })).rejects.toMatchObject({ code: 'ERR_USAGE' })
    const end = new AbortController()
    const { stream } = await test.perform('logs', { name: 'demo', lines: 1, follow: true }, { signal: end.signal })
    const lines: string[] = []
    for await (const line of stream ?? []) {
      lines.push(line)
      if (line === 'last') writeFileSync(test.path('demo', 'logs', 'application.log'), 'password=x\n', { flag: 'a' })
      else end.abort()
    }
    expect(lines).toEqual(['last', 'password=***'])
  })

  it('shell is a program in its folder with its environment', async () => {
    const { program } = await test.perform('shell', { name: 'demo' })
    expect(program).toMatchObject({
      command: '/bin/sh',
      args: ['-c', 'exec "${SHELL:-/bin/sh}"'],
      folder: test.path('demo'),
      environment: {
        APPS_HOME: test.home,
        STEWARD_INSTANCE: 'demo',
        STEWARD_PORT: String(test.instance('demo').port),
        SERVICE_USER: expect.any(String),
      },
    })
    expect(test.context.registry.history({ limit: 1 })[0]).toMatchObject({ action: 'shell', instance: 'demo' })
  })

  it('database needs an embedded database to be stopped, and its input file', async () => {
    await expect(test.perform('database', { name: 'demo' })).rejects.toMatchObject({
      code: 'ERR_STATE',
      message: '"demo" must be stopped first, because its database is embedded.',
      command: 'stop demo',
    })
    await expect(test.perform('database', { name: 'quiet', file: '/no/such file' })).rejects.toMatchObject({
      code: 'ERR_USAGE',
      message: 'File not found: /no/such file',
    })
    const input = join(test.folder, 'input.sql')
    writeFileSync(input, 'select 1;\n')
    const opened = await test.perform('database', { name: 'quiet', file: input }).catch((error: ManagerError) => error)
    // Without the client a clear error.
    if (opened instanceof Error)
      expect(opened).toMatchObject({ code: 'ERR_DATABASE', message: expect.stringContaining('sqlite3') })
    else {
      expect(opened.program).toMatchObject({ input })
      expect(opened.program?.args.at(-1)).toBe(test.path('quiet', 'data', 'database.db'))
    }
  })
})

describe('an application that does not start any more', () => {
  it('is stopped after a restart that fails, which locks nothing: a backup repairs it', async () => {
    await test.perform('add', { name: 'broken' })
    await test.perform('save', { name: 'broken' })
    for (const action of ['restart', 'app-debug']) {
      test.tell('broken', {})
      await test.perform('start', { name: 'broken' })
      test.tell('broken', { start: 'fail' })
      const error = await failure(test.another().perform(action, { name: 'broken' }, test.caller))
      expect(error).toMatchObject({ code: 'ERR_ROLLED_BACK' })
      expect(error.message).toMatch(/"broken" is now stopped, because it could not be started again\.$/)
      expect(error).toMatchObject({ title: 'broken did not start', ending: expect.stringMatching(/is now stopped/) })
      expect(await stateOf('broken')).toBe('stopped')
      expect(test.instance('broken')).toMatchObject({ desired: 'started', observed: 'stopped', operation: '' })
    }
    const [done] = test.context.registry.history({ instance: test.instance('broken').id }).filter(isRestart)
    expect(done).toMatchObject({ result: 'rolled-back', message: expect.stringContaining('is now stopped') as string })
    await test.perform('stop', { name: 'broken', force: true })
    await test.perform('restore', { name: 'broken' })
    await test.perform('start', { name: 'broken' })
    expect(await isHealthy('broken')).toBe(true)
    await test.perform('delete', { name: 'broken' })
  })

  const isRestart = ({ action }: { readonly action: string }) => action === 'restart'
})

describe('after an operation that needs attention', () => {
  const again = () =>
    test.context.registry[sqlite].exec(
      `update operation set state = 'attention', ended = null, message = 'Again.' where kind = 'rename'`,
    )
  const open = () => test.context.registry[sqlite].prepare(`select 1 from operation where state = 'attention'`).all()
  const ended = [expect.stringContaining('ended an earlier operation that needed attention: Rename') as string]

  it('stop works all the same, and others say how to leave things as they are', async () => {
    await withConfig(['export APPS_ROOTCONTEXT=false'], async () => {
      const { perform } = test.another()
      await perform('add', { name: 'stuck' }, test.caller)
      await perform('save', { name: 'stuck' }, test.caller)
      test.tell('stuck', { start: 'fail' })
      const error = await failure(perform('rename', { name: 'stuck', new: 'free' }, test.caller))
      expect(error).toMatchObject({ code: 'ERR_ATTENTION', help: expect.stringContaining('manager giveup ') as string })
    })
    const refused = await failure(test.perform('save', { name: 'stuck' }))
    expect(refused).toMatchObject({
      code: 'ERR_ATTENTION',
      help: expect.stringContaining(`manager giveup ${refused.operation}`) as string,
    })
    await test.perform('stop', { name: 'stuck' })
    expect(await stateOf('stuck')).toBe('stopped')
    await test.perform('giveup', { operation: String(refused.operation) })
    await test.perform('save', { name: 'stuck' })
  })

  it('what replaces all that the instance has works, and ends it; a part of it does not', async () => {
    again()
    const part = await failure(test.perform('restore', { name: 'stuck', only: 'data' }))
    expect(part).toMatchObject({ code: 'ERR_ATTENTION', help: expect.stringContaining('restore, reset') as string })
    expect(await test.perform('restore', { name: 'stuck' })).toMatchObject({ warnings: ended })
    expect(open()).toEqual([])
    again()
    expect(await test.perform('reset', { name: 'stuck' })).toMatchObject({ warnings: ended })
    expect(open()).toEqual([])
    await test.perform('start', { name: 'stuck' })
    again()
    expect(await test.perform('delete', { name: 'stuck' })).toMatchObject({ warnings: ended })
    expect(open()).toEqual([])
    expect(test.context.registry.history({ limit: 10 }).filter(({ action }) => action === 'giveup')).toHaveLength(4)
  })

  it('operation retry rolls it back once the cause is fixed', async () => {
    let operation = ''
    await withConfig(['export APPS_ROOTCONTEXT=false'], async () => {
      const { perform } = test.another()
      await perform('add', { name: 'again' }, test.caller)
      test.tell('again', { start: 'fail' })
      operation = String((await failure(perform('rename', { name: 'again', new: 'other' }, test.caller))).operation)
      const still = await failure(perform('operation retry', { id: operation }, test.caller))
      expect(still).toMatchObject({
        code: 'ERR_ATTENTION',
        operation,
        help: expect.stringContaining(operation) as string,
      })
      test.tell('again', {})
      const { message } = await perform('operation retry', { id: operation }, test.caller)
      expect(message).toMatch(/^Rename .*: rolled back\.$/)
    })
    expect(test.instance('again')).toMatchObject({ observed: 'started', operation: '' })
    const over = await failure(test.perform('operation retry', { id: operation }))
    expect(over).toMatchObject({ code: 'ERR_NOT_FOUND' })
    await test.perform('delete', { name: 'again' })
  })
})
