import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { identify } from '../system/process-identity.js'
import { statOf } from '../system/process-table.js'
import { endProcessesOf, processesOf } from '../testing/end-processes.js'
import { canMount, mountMemory, unmount } from '../testing/small-disk.js'
import { ask, logOf } from './contract/runtime-under-test.js'
import { processesUnderTest } from './processes-for-test.js'
import type { InstanceSpec, Runtime } from './runtime.js'
import { supervisorScript } from './supervisor-script.js'
import { takeTestPort } from '../testing/take-ports.js'

const patience = { interval: 20 }

let subject: Awaited<ReturnType<typeof processesUnderTest>>
let runtime: Runtime
beforeAll(async () => {
  subject = await processesUnderTest()
  runtime = subject.runtime
})
afterAll(() => subject.close())

async function started(environment: Readonly<Record<string, string>> = {}): Promise<InstanceSpec> {
  const spec = await subject.spec('a', await takeTestPort(), environment)
  await runtime.define(spec)
  await runtime.start(spec)
  await expect.poll(() => ask(spec, '/id'), patience).toBeDefined()
  return spec
}

const state = async (spec: InstanceSpec) => (await runtime.observe(spec)).state
const runFile = ({ folder }: InstanceSpec, name: string) => join(folder, 'run', name)
const pidIn = (spec: InstanceSpec, name: string) => Number(readFileSync(runFile(spec, name), 'utf8').split(' ')[0])

/** As a manager does that is killed after it did something to the instance, and its process group with it. */
async function killedAfter(action: 'start' | 'suspend', spec: InstanceSpec): Promise<void> {
  const loader = new URL('../testing/typescript.mjs', import.meta.url).href
  const program = `
    const { createProcessRuntime } = await import(${JSON.stringify(new URL('./create-process-runtime.ts', import.meta.url).href)})
    await createProcessRuntime().${action}(JSON.parse(process.argv[1]), { maxMs: 3_600_000 })
    console.log('done')
    setInterval(() => {}, 1000)`
  const command = spawn(
    process.execPath,
    ['--import', loader, '--input-type=module', '-e', program, JSON.stringify(spec)],
    { detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await once(command.stdout, 'data')
  process.kill(-(command.pid as number), 'SIGKILL')
  await once(command, 'exit')
}

describe('supervisor', () => {
  it('killed while the application lives: it serves on, is not started twice, and stop() ends it', async () => {
    const spec = await started()
    await ask(spec, '/exit', { code: '7' })
    await expect.poll(async () => (await runtime.observe(spec)).restarts, patience).toBe(1)
    await expect.poll(() => ask(spec, '/id'), patience).toBeDefined()
    const id = await ask(spec, '/id')
    process.kill(pidIn(spec, 'supervisor'), 'SIGKILL')
    await expect.poll(() => state(spec), patience).toBe('degraded')
    await runtime.start(spec)
    expect(await ask(spec, '/id')).toBe(id)
    expect((await runtime.processes(spec)).map(({ pid }) => pid)).toEqual([pidIn(spec, 'application')])
    await runtime.suspend?.(spec, { maxMs: 60_000 })
    expect(await state(spec)).toBe('suspended')
    await runtime.resume?.(spec)
    expect(await ask(spec, '/id')).toBe(id)
    expect(await runtime.stop(spec, { graceMs: 10_000 })).toEqual({ wasRunning: true })
    expect(await state(spec)).toBe('stopped')
    expect(processesOf(spec.folder)).toEqual([])
  })

  it('killed before it wrote down its application: that is found, and ended', async () => {
    const spec = await started()
    const application = pidIn(spec, 'application')
    process.kill(pidIn(spec, 'supervisor'), 'SIGKILL')
    rmSync(runFile(spec, 'application'))
    await expect.poll(() => state(spec), patience).toBe('degraded')
    await runtime.start(spec)
    expect(statOf(application)).toBeDefined()
    expect((await runtime.observe(spec)).pids).toEqual([application])
    expect(await runtime.stop(spec, { graceMs: 20_000 })).toEqual({ wasRunning: true })
    expect(await state(spec)).toBe('stopped')
    // Who inherits it may look later that it has ended.
    expect(processesOf(spec.folder)).toEqual([])
  })

  it('killed with its application: crashed, and started again', async () => {
    const spec = await started()
    process.kill(-pidIn(spec, 'supervisor'), 'SIGKILL')
    await expect.poll(() => state(spec), patience).toBe('crashed')
    await runtime.start(spec)
    await expect.poll(() => state(spec), patience).toBe('started')
  })

  it('starts nothing when the manager dies before it wrote it down', async () => {
    const spec = await subject.spec('a', await takeTestPort(), {})
    mkdirSync(join(spec.folder, 'run'))
    const script = runFile(spec, 'supervisor.sh')
    writeFileSync(script, supervisorScript)
    const supervisor = spawn('/bin/sh', [script, join(spec.folder, 'run'), '1', '60', '3', ...spec.command], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    supervisor.stdin.end()
    expect(await once(supervisor, 'exit')).toEqual([0, null])
    expect(readdirSync(join(spec.folder, 'run'))).toEqual(['supervisor.sh'])
    expect(processesOf(spec.folder)).toEqual([])
  })

  it('makes longer pauses after each crash, says so in the log, and gives up', async () => {
    const spec = await subject.spec('a', await takeTestPort(), { TEST_EXIT: '3' })
    await runtime.start(spec)
    await expect.poll(() => state(spec), patience).toBe('crashed')
    const told = (await logOf(runtime, spec)).filter((line) => line.includes(' steward: '))
    expect(told.map((line) => line.replace(/^\S+Z steward: /, ''))).toEqual([
      'The application ended with code 3; it is started again in 0.02 s.',
      'The application ended with code 3; it is started again in 0.05 s.',
      'The application ended with code 3; after 3 such ends soon after a start it is not started again.',
    ])
    await expect.poll(() => processesOf(spec.folder), patience).toEqual([])
  })

  it('does not count crashes of an application that ran long enough', async () => {
    const { runtime: patient, spec: make, close } = await processesUnderTest({ steadySeconds: 0 })
    try {
      const spec = await make('a', await takeTestPort(), { TEST_EXIT: '3' })
      await patient.start(spec)
      await expect.poll(async () => (await patient.observe(spec)).restarts, patience).toBeGreaterThan(4)
      await patient.stop(spec, { graceMs: 10_000 })
    } finally {
      await close()
    }
  })

  it('stops during the pause after a crash, at once', async () => {
    const { runtime: slow, spec: make, close } = await processesUnderTest({ pauses: [3600] })
    try {
      const spec = await make('a', await takeTestPort(), { TEST_EXIT: '3' })
      await slow.start(spec)
      await expect.poll(async () => (await slow.observe(spec)).lastExit?.code, patience).toBe(3)
      expect((await slow.observe(spec)).state).toBe('starting')
      // Longer than the test may take.
      expect(await slow.stop(spec, { graceMs: 3_600_000 })).toMatchObject({ wasRunning: true })
      expect(processesOf(spec.folder)).toEqual([])
    } finally {
      await close()
    }
  })

  it('takes little memory', async () => {
    const spec = await started()
    const supervisor = pidIn(spec, 'supervisor')
    const { memoryMb = 99 } = (await runtime.processes(spec)).find(({ pid }) => pid === supervisor) ?? {}
    expect(memoryMb).toBeLessThan(5)
    await runtime.stop(spec, { graceMs: 10_000 })
  })
})

describe('identity', () => {
  const innocent = async () => {
    const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: true })
    await once(child, 'spawn')
    return { child, identity: identify(child.pid as number) as NonNullable<ReturnType<typeof identify>> }
  }

  it('a pid that another process has now is neither shown nor signalled', async () => {
    const { child, identity } = await innocent()
    try {
      for (const boot of [identity.boot, 'an-earlier-boot']) {
        const spec = await subject.spec('a', await takeTestPort(), {})
        mkdirSync(join(spec.folder, 'run'))
        const start = boot === identity.boot ? String(Number(identity.start) - 1) : identity.start
        for (const file of ['supervisor', 'suspended'])
          writeFileSync(runFile(spec, file), `${identity.pid} ${start} ${boot} a-token\n`)
        writeFileSync(runFile(spec, 'application'), `${identity.pid} ${start} ${boot} ${identity.pid} 0\n`)
        expect(await runtime.observe(spec)).toMatchObject({
          state: boot === identity.boot ? 'crashed' : 'stopped',
          pids: [],
        })
        expect(await runtime.processes(spec)).toEqual([])
        await runtime.suspend?.(spec, { maxMs: 1000 })
        expect(statOf(identity.pid)?.state).not.toBe('T')
        await runtime.resume?.(spec)
        expect(await runtime.stop(spec, { graceMs: 100, force: true })).toEqual({ wasRunning: false })
        await runtime.start(spec)
        await expect.poll(() => ask(spec, '/id'), patience).toBeDefined()
        await runtime.stop(spec, { graceMs: 10_000, force: true })
        expect(statOf(identity.pid)?.start).toBe(identity.start)
      }
    } finally {
      child.kill('SIGKILL')
    }
  })

  it('what is not a record is taken as none', async () => {
    const spec = await subject.spec('a', await takeTestPort(), {})
    mkdirSync(join(spec.folder, 'run'))
    const { start, boot } = identify(process.pid) as NonNullable<ReturnType<typeof identify>>
    for (const pid of ['', '0', '1', '-1', '1e9', `${process.pid}x`, '99999999999999999999', '../1', '\0'])
      for (const file of ['supervisor', 'application', 'suspended', 'exit', 'debugger']) {
        writeFileSync(runFile(spec, file), `${pid} ${start} ${boot} 1 0\n`)
        expect((await runtime.observe(spec)).pids).toEqual([])
        expect(await runtime.stop(spec, { graceMs: 10 })).toEqual({ wasRunning: false })
      }
  })
})

describe('processes of an instance', () => {
  it('outlive the command that started them, and its process group', async () => {
    const spec = await subject.spec('a', await takeTestPort(), {})
    await killedAfter('start', spec)
    await expect.poll(() => ask(spec, '/id'), patience).toBeDefined()
    expect(await state(spec)).toBe('started')
    const supervisor = statOf(pidIn(spec, 'supervisor'))
    expect(supervisor?.session).toBe(supervisor?.pid)
    await runtime.stop(spec, { graceMs: 10_000 })
  })

  it('continue when the manager that paused them is killed, however long the pause might have been', async () => {
    const spec = await started()
    const id = await ask(spec, '/id')
    await killedAfter('suspend', spec)
    await expect.poll(() => ask(spec, '/id'), patience).toBe(id)
    expect(await state(spec)).toBe('started')
    await runtime.stop(spec, { graceMs: 10_000 })
  })

  it('stay paused as long as the manager lives', async () => {
    const spec = await started()
    await runtime.suspend?.(spec, { maxMs: 60_000 })
    const dog = pidIn(spec, 'suspended')
    await expect.poll(() => childrenOf(dog), patience).not.toEqual([])
    const [first] = childrenOf(dog)
    await expect.poll(() => childrenOf(dog).filter((pid) => pid !== first), patience).not.toEqual([])
    expect(await state(spec)).toBe('suspended')
    await runtime.stop(spec, { graceMs: 10_000 })
  })

  it('get no file, socket or pipe of the manager', async () => {
    const file = openSync(join(subject.folder, 'open'), 'w')
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const own = new Set(openFiles(process.pid).filter((target) => /^(socket|pipe):/.test(target)))
    const spec = await started()
    const [supervisor, application] = [pidIn(spec, 'supervisor'), pidIn(spec, 'application')]
    const log = join(spec.folder, 'logs', 'application.log')
    expect(new Set(openFiles(supervisor))).toEqual(new Set(['/dev/null', log, runFile(spec, 'supervisor.sh')]))
    const files = openFiles(application)
    expect(files.filter((target) => own.has(target))).toEqual([])
    expect(new Set(files.filter((target) => target.startsWith('/')))).toEqual(new Set(['/dev/null', log]))
    closeSync(file)
    server.close()
    await runtime.stop(spec, { graceMs: 10_000 })
  })

  it('are all killed after the grace time, those that the application started too', async () => {
    const spec = await subject.spec('a', await takeTestPort(), {})
    const program = join(spec.workingFolder, 'parent.mjs')
    writeFileSync(
      program,
      `import { spawn, spawnSync } from 'node:child_process'
       const child = spawn('/bin/sh', ['-c', 'trap "" TERM; while :; do sleep 1; done'], { stdio: 'inherit' })
       process.on('SIGTERM', () => process.argv[2] === 'stay' || process.exit(0))
       console.log('child', child.pid)
       setInterval(() => {}, 1000)`,
    )
    for (const how of ['stay', 'go']) {
      await runtime.start({ ...spec, command: [process.execPath, program, how] })
      await expect.poll(() => logOf(runtime, spec, 1), patience).toEqual([expect.stringContaining('child')])
      const child = Number((await logOf(runtime, spec, 1))[0]?.split(' ')[1])
      expect(statOf(child)).toBeDefined()
      await runtime.stop(spec, { graceMs: how === 'stay' ? 200 : 20_000 })
      expect(statOf(child)).toBeUndefined()
      expect(processesOf(spec.folder)).toEqual([])
      rmSync(join(spec.folder, 'logs', 'application.log'))
    }
  })

  it('have their debugger closed when its time is over', async () => {
    const { runtime: short, spec: make, close } = await processesUnderTest({}, 0.01)
    try {
      const spec = await make('a', await takeTestPort(), {})
      await short.start(spec, { debug: true })
      await expect.poll(async () => (await short.observe(spec)).debugAddress, patience).toBeDefined()
      await expect.poll(async () => (await short.observe(spec)).debugAddress, patience).toBeUndefined()
      expect(await ask(spec, '/id')).toBeDefined()
    } finally {
      await close()
    }
  })

  it('keep what is meant for their first process alone to themselves', async () => {
    const spec = await subject.spec('a', await takeTestPort(), {})
    const program = join(spec.workingFolder, 'parent.mjs')
    writeFileSync(
      program,
      `import { fork } from 'node:child_process'
       import { Worker } from 'node:worker_threads'
       const show = "console.log('has', Object.keys(process.env).filter((name) => /^STEWARD_(LOG|DEBUG)/.test(name)).length)"
       new Worker(show, { eval: true })
       if (!process.argv[2]) fork(process.argv[1], ['child'])
       setInterval(() => {}, 1000)`,
    )
    await runtime.start({ ...spec, command: [process.execPath, program] }, { debug: true })
    const told = async () => (await logOf(runtime, spec)).filter((line) => line.startsWith('has'))
    await expect.poll(told, patience).toEqual(['has 0', 'has 0'])
    await runtime.stop(spec, { graceMs: 10_000 })
  })

  it('have the limit of memory that is set', async () => {
    const spec = await subject.spec('a', await takeTestPort(), {})
    await runtime.start({ ...spec, maxMemoryMb: 96 })
    await expect.poll(() => ask(spec, '/id'), patience).toBeDefined()
    const commands = (await runtime.processes(spec)).map(({ command }) => command)
    expect(commands.at(-1)).toContain('--max-old-space-size=96')
    await runtime.stop(spec, { graceMs: 10_000 })
  })

  it('are not started without their program or folder', async () => {
    const spec = await subject.spec('a', await takeTestPort(), {})
    await expect(runtime.start({ ...spec, command: ['/no/such/node'] })).rejects.toMatchObject({
      code: 'ERR_FAILED',
      message: 'Cannot start /no/such/node: the program does not exist.',
    })
    await expect(runtime.start({ ...spec, workingFolder: '/no/such folder' })).rejects.toThrow('/no/such folder')
    expect(await state(spec)).toBe('stopped')
  })
})

describe('a full disk', () => {
  it('is said, and nothing is left running', async (context) => {
    if (!canMount()) return context.skip('a small disk can only be mounted by root')
    const spec = await subject.spec('a', await takeTestPort(), {})
    mountMemory(spec.folder, '64k')
    try {
      await runtime.define(spec)
      const at = (name: string) => join(spec.folder, name)
      expect(() => writeFileSync(at('full'), Buffer.alloc(100_000))).toThrow('ENOSPC')
      const small = { ...spec, workingFolder: tmpdir(), command: ['/bin/sleep', '600'] }
      await expect(runtime.start(small)).rejects.toMatchObject({ code: 'ERR_DISK' })
      await expect.poll(() => processesOf(spec.folder), patience).toEqual([])
      expect((await runtime.observe(spec)).pids).toEqual([])
      rmSync(at('full'))
      await runtime.start(small)
      expect(await state(spec)).toBe('started')
      await runtime.stop(small, { graceMs: 10_000 })
    } finally {
      unmount(spec.folder)
    }
  })

  it('does not have an application given up that it ends again and again: it runs when there is room', async (context) => {
    if (!canMount()) return context.skip('a small disk can only be mounted by root')
    const spec = await subject.spec('a', await takeTestPort(), {})
    mountMemory(spec.folder, '256k')
    const runs = join(tmpdir(), `steward-runs-${process.pid}`)
    try {
      await runtime.define(spec)
      const at = (name: string) => join(spec.folder, name)
      const program = `echo >>${runs}; head -c 20000 /dev/zero >"$1" && exec sleep 600`
      const command = ['/bin/sh', '-c', program, 'sh', at('written')]
      await runtime.start({ ...spec, workingFolder: tmpdir(), command })
      const { pids } = await runtime.observe(spec)
      rmSync(at('written'))
      expect(() => writeFileSync(at('full'), Buffer.alloc(300_000))).toThrow('ENOSPC')
      rmSync(runs)
      for (const pid of pids.slice(1)) process.kill(pid, 'SIGKILL')
      // More often than it is started again otherwise.
      const times = () => (existsSync(runs) ? readFileSync(runs, 'utf8').length : 0)
      await expect.poll(times, patience).toBeGreaterThan(6)
      rmSync(at('full'))
      await expect.poll(() => state(spec), patience).toBe('started')
      await runtime.stop(spec, { graceMs: 10_000 })
    } finally {
      rmSync(runs, { force: true })
      await endProcessesOf(spec.folder)
      unmount(spec.folder)
    }
  })

  it('met by the supervisor does not keep the application from running, nor stop() from ending it', async (context) => {
    const spec = await started()
    const first = await ask(spec, '/id')
    const mounted = spawnSync('mount', ['--bind', '-o', 'ro', join(spec.folder, 'run'), join(spec.folder, 'run')])
    if (mounted.status !== 0) return context.skip('a disk can only be mounted by root')
    try {
      spawnSync('mount', ['-o', 'remount,bind,ro', join(spec.folder, 'run')])
      await ask(spec, '/exit', { code: '1' })
      await expect.poll(() => ask(spec, '/id'), patience).not.toBeOneOf([first, undefined])
      expect(await state(spec)).toBe('starting')
    } finally {
      unmount(join(spec.folder, 'run'))
    }
    expect(await runtime.stop(spec, { graceMs: 10_000 })).toMatchObject({ wasRunning: true })
    expect(processesOf(spec.folder)).toEqual([])
  })
})

describe('log', () => {
  it('is rotated while it is followed, and no line is lost', async () => {
    const spec = await subject.spec('a', await takeTestPort(), {})
    await runtime.start({ ...spec, log: { maxBytes: 20_000, keep: 2 } })
    await expect.poll(() => ask(spec, '/id'), patience).toBeDefined()
    const end = new AbortController()
    const lines: string[] = []
    const reading = (async () => {
      for await (const line of runtime.logs(spec, { lines: 0, follow: true, signal: end.signal })) lines.push(line)
    })()
    const following = () => ask(spec, '/print', { text: 'begin' }).then(() => lines.length)
    await expect.poll(following, patience).toBeGreaterThan(0)
    const logs = join(spec.folder, 'logs')
    const copy = () => inodeOf(join(logs, 'application.log.1'))
    let before = copy()
    for (const round of ['a', 'b', 'c']) {
      await ask(spec, '/print', { text: `${round} ${'x'.repeat(100)}`, times: '300' })
      await expect.poll(copy, patience).not.toBe(before)
      before = copy()
    }
    await ask(spec, '/print', { text: 'the end' })
    await expect.poll(() => lines.at(-1), patience).toBe('the end')
    end.abort()
    await reading
    expect(lines.filter((line) => line !== 'begin').map((line) => line.replace(/ x+/, ''))).toEqual([
      ...['a', 'b', 'c'].flatMap((round) => Array.from({ length: 300 }, (_, index) => `${round} ${index + 1}`)),
      'the end',
    ])
    expect(readdirSync(logs).toSorted()).toEqual(['application.log', 'application.log.1', 'application.log.2'])
    const last = await logOf(runtime, spec, 302)
    expect([last[0]?.slice(0, 2), last[1]?.slice(0, 2), last.at(-1)]).toEqual(['b ', 'c ', 'the end'])
    await runtime.stop(spec, { graceMs: 10_000 })
  })

  it('of two copies is rotated by the one that serves', async () => {
    const log = { maxBytes: 20_000, keep: 5 }
    const first: InstanceSpec = { ...(await subject.spec('a', await takeTestPort(), {})), log }
    const port = await takeTestPort()
    const second: InstanceSpec = { ...first, copy: 'b', port, environment: { TEST_PORT: String(port) } }
    for (const spec of [first, second]) {
      await runtime.start(spec)
      await expect.poll(() => ask(spec, '/id'), patience).toBeDefined()
    }
    const rotated = (number: number) => inodeOf(join(first.folder, 'logs', `application.log.${number}`))
    for (const [round, copy] of (['a', 'b'] as const).entries()) {
      await runtime.serve?.(first, copy)
      for (const spec of [first, second])
        await ask(spec, '/print', { text: `${copy} ${'x'.repeat(100)}`, times: '100' })
      await expect.poll(() => rotated(round + 1), patience).toBeDefined()
    }
    expect(rotated(3)).toBe(undefined)
    expect(await logOf(runtime, first, 1000)).toHaveLength(400)
    await runtime.stop(first, { graceMs: 10_000 })
  })

  it('takes a burst of output', async () => {
    const spec = await started()
    await ask(spec, '/print', { text: 'y'.repeat(990), times: '30000' }, 20_000)
    await expect.poll(() => inodeOf(join(spec.folder, 'logs', 'application.log.1')), patience).toBeDefined()
    expect(await ask(spec, '/id')).toBeDefined()
    expect((await logOf(runtime, spec, 2)).map((line) => line.replace(/y+/, ''))).toEqual([' 29999', ' 30000'])
    await runtime.stop(spec, { graceMs: 10_000 })
  })
})

function openFiles(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((number) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${number}`)
    } catch {
      return []
    }
  })
}

/** Which file has this name now; undefined: none. */
function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino
}

const childrenOf = (pid: number) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
