import { statSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import type { InstanceSpec, Runtime } from '../runtime.js'
import { ask, logOf, type RuntimeUnderTest } from './runtime-under-test.js'
import { takeTestPort } from '../../testing/take-ports.js'

const patience = { interval: 20 }

/** Options of a test that shows the core of the contract. Runs of this repository choose by the tag; elsewhere it is not known. */
function core(): { readonly tags?: 'core' } {
  return inject('tier' as never) ? { tags: 'core' } : {}
}

/**
 * What every `Runtime` must do. It reads capabilities, so that it asks for what is promised, and waits for what a
 * runtime may do later: starting, being seen as stopped, exit codes.
 */
export function testRuntime(make: () => Promise<RuntimeUnderTest>): void {
  let subject: RuntimeUnderTest
  let runtime: Runtime
  const made: InstanceSpec[] = []

  beforeAll(async () => {
    subject = await make()
    runtime = subject.runtime
  })
  afterEach(async () => {
    for (const spec of made.splice(0)) {
      await runtime.stop(spec, { graceMs: 0, force: true })
      await runtime.undefine(spec)
    }
  })
  afterAll(() => subject.close())

  /** Removed after the test. */
  async function instance(label = 'a', environment: Readonly<Record<string, string>> = {}): Promise<InstanceSpec> {
    const spec = await subject.spec(label, await takeTestPort(), environment)
    made.push(spec)
    return spec
  }

  async function started(label?: string, environment?: Readonly<Record<string, string>>): Promise<InstanceSpec> {
    const spec = await instance(label, environment)
    await runtime.define(spec)
    await runtime.start(spec)
    await serves(spec)
    return spec
  }

  /** @returns which start of the program it is. */
  async function serves(spec: InstanceSpec): Promise<string> {
    await expect.poll(() => ask(spec, '/id'), patience).toBeDefined()
    return (await ask(spec, '/id')) as string
  }

  /** The system's time of a start between then and now; it counts in ticks since the boot. */
  function expectAbout(moment: string, begin: number): void {
    expect(Date.parse(moment)).toBeGreaterThan(begin - 60_000)
    expect(Date.parse(moment)).toBeLessThan(Date.now() + 60_000)
  }

  const state = async (spec: InstanceSpec) => (await runtime.observe(spec)).state

  it('can be used here, and says what it can do', core(), async () => {
    expect(await runtime.probe()).toMatchObject({ ok: true })
    expect(runtime.name).toMatch(/^(?:@[a-z0-9-]+\/)?[a-z][a-z0-9-]*$/)
    expect(Object.isFrozen(runtime.capabilities)).toBe(true)
    expect(runtime.suspend !== undefined && runtime.resume !== undefined).toBe(runtime.capabilities.suspend)
    expect(runtime.serving !== undefined && runtime.serve !== undefined).toBe(runtime.capabilities.parallelCopies)
    expect(runtime.roll !== undefined && runtime.unroll !== undefined).toBe(runtime.capabilities.nativeRollback)
  })

  it('socketOf() takes requests while it starts again, and refuses them after its end', core(), async () => {
    if (!runtime.socketOf) return
    const spec = { ...(await instance()), takesSockets: true }
    await runtime.define(spec)
    await runtime.start(spec)
    const first = await serves(spec)
    const socket = runtime.socketOf(spec)
    // There is none without root.
    if (socket === undefined) return expect(process.getuid?.()).not.toBe(0)
    const at = { ...spec, socket }
    expect(await ask(at, '/id')).toBe(first)
    expect(statSync(socket).uid).toBe(0)
    expect(statSync(dirname(socket))).toMatchObject({ uid: 0, mode: 0o40711 })

    await ask(spec, '/kill')
    const next = await ask(at, '/id', {}, 60_000)
    expect(next).not.toBe(first)
    expect(next).toBe(await serves(spec))

    await runtime.stop(spec, { graceMs: 5000 })
    expect(await ask(at, '/id')).toBeUndefined()
    await runtime.undefine(spec)
    expect(runtime.socketOf(spec)).toBeUndefined()
  })

  it('socketOf() is none of a program that takes no sockets, also after one that did', async () => {
    if (!runtime.socketOf) return
    const spec = await started()
    expect(runtime.socketOf(spec)).toBeUndefined()
    for (const takesSockets of [true, false]) {
      await runtime.stop(spec, { graceMs: 5000 })
      await runtime.define({ ...spec, takesSockets })
      await runtime.start({ ...spec, takesSockets })
    }
    await serves(spec)
    expect(runtime.socketOf(spec)).toBeUndefined()
  })

  it(
    'define() makes it startable and starts nothing; undefine() takes it away; both may be repeated',
    core(),
    async () => {
      const spec = await instance()
      expect(await state(spec)).toBe('stopped')
      await runtime.define(spec)
      await runtime.define(spec)
      expect(await runtime.observe(spec)).toMatchObject({ state: 'stopped', restarts: 0, pids: [] })
      await runtime.undefine(spec)
      await runtime.undefine(spec)
      expect(await state(spec)).toBe('stopped')
    },
  )

  it('undefine() refuses one that runs', core(), async () => {
    const spec = await started()
    await expect(runtime.undefine(spec)).rejects.toMatchObject({ code: 'ERR_STATE' })
    expect(await ask(spec, '/id')).toBeDefined()
  })

  it(
    'start() runs it with its environment in its folder, and nothing of the environment of the manager',
    core(),
    async () => {
      process.env['STEWARD_TEST_SECRET'] = 'of the shell'
      process.env['NODE_OPTIONS'] = '--no-deprecation'
      try {
        const begin = Date.now()
        const spec = await started('a', { GREETING: 'Grüße, "Wörld" $HOME `id` \\' })
        expect(await ask(spec, '/environment', { name: 'GREETING' })).toBe('Grüße, "Wörld" $HOME `id` \\')
        expect(await ask(spec, '/environment', { name: 'STEWARD_TEST_SECRET' })).toBe('')
        expect(await ask(spec, '/environment', { name: 'NODE_OPTIONS' })).toBe('')
        expect(await ask(spec, '/environment', { name: 'PATH' })).not.toBe('')
        // What runs elsewhere has what it needs in an image.
        expect(await ask(spec, '/folder')).toBe(runtime.capabilities.elsewhere ? '/app' : spec.workingFolder)
        const { state: now, since, restarts } = await runtime.observe(spec)
        expect({ now, restarts }).toEqual({ now: 'started', restarts: 0 })
        expectAbout(since as string, begin)
      } finally {
        delete process.env['STEWARD_TEST_SECRET']
        delete process.env['NODE_OPTIONS']
      }
    },
  )

  it('start() does nothing when it runs, for others too', core(), async () => {
    const spec = await started()
    const id = await serves(spec)
    await runtime.start(spec)
    await subject.another().start(spec)
    expect(await serves(spec)).toBe(id)
    expect(await subject.another().observe(spec)).toMatchObject({ state: 'started', restarts: 0 })
  })

  it('two start() at once start one', async () => {
    const spec = await instance()
    await runtime.define(spec)
    await Promise.all([runtime.start(spec), subject.another().start(spec), subject.another().start(spec)])
    await serves(spec)
    // A second one would have ended, because its port is taken, or be among its processes.
    const { restarts, lastExit } = await runtime.observe(spec)
    expect({ restarts, lastExit }).toEqual({ restarts: 0, lastExit: undefined })
    await runtime.stop(spec, { graceMs: 10_000 })
    expect(await ask(spec, '/id', {}, 500)).toBeUndefined()
  })

  it('stop() ends it; a second one says that it did not run', core(), async () => {
    const spec = await started()
    const { code = 0, ...exit } = await runtime.stop(spec, { graceMs: 10_000 })
    expect({ code, exit }).toEqual({ code: 0, exit: { wasRunning: true } })
    expect(await state(spec)).toBe('stopped')
    expect(await ask(spec, '/id', {}, 500)).toBeUndefined()
    expect(await runtime.stop(spec, { graceMs: 10_000 })).toEqual({ wasRunning: false })
    await runtime.start(spec)
    await serves(spec)
  })

  it('stop() kills what does not end in time, and with force at once', core(), async () => {
    const spec = await started('a', { TEST_TERM: 'ignore' })
    expect(await runtime.stop(spec, { graceMs: 200 })).toMatchObject({ wasRunning: true, forced: true })
    expect(await state(spec)).toBe('stopped')
    await runtime.start(spec)
    await serves(spec)
    // Longer than the test may take.
    const graceMs = 3_600_000
    expect(await runtime.stop(spec, { graceMs, force: true })).toMatchObject({ wasRunning: true, forced: true })
    expect(await state(spec)).toBe('stopped')
  })

  it('stop() of what was never defined says that it did not run', async () => {
    const spec = await instance()
    expect(await runtime.stop(spec, { graceMs: 100 })).toEqual({ wasRunning: false })
  })

  it('starts it again after a crash, and reports how it ended', core(), async () => {
    const spec = await started()
    const first = await serves(spec)
    await ask(spec, '/exit', { code: '7' })
    await expect.poll(() => ask(spec, '/id'), patience).not.toBeOneOf([first, undefined])
    const { state: now, restarts, lastExit } = await runtime.observe(spec)
    expect({ now, restarts }).toEqual({ now: 'started', restarts: 1 })
    expect(lastExit?.code).toBe(7)
    const second = await serves(spec)
    await ask(spec, '/kill')
    await expect.poll(() => ask(spec, '/id'), patience).not.toBeOneOf([second, undefined])
    expect((await runtime.observe(spec)).lastExit?.signal).toBe('SIGKILL')
  })

  it('gives one up that ends again and again; start() tries again', core(), async () => {
    const spec = await instance('a', { TEST_EXIT: '9' })
    await runtime.define(spec)
    await runtime.start(spec)
    await expect.poll(() => state(spec), patience).toBe('crashed')
    expect((await runtime.observe(spec)).lastExit?.code).toBe(9)
    const well: InstanceSpec = { ...spec, environment: { ...spec.environment, TEST_EXIT: '' } }
    await runtime.define(well)
    await runtime.start(well)
    await serves(well)
    expect(await runtime.observe(well)).toMatchObject({ state: 'started', restarts: 0 })
  })

  it('stop() makes a crashed one a stopped one', async () => {
    const spec = await instance('a', { TEST_EXIT: '9' })
    await runtime.define(spec)
    await runtime.start(spec)
    await expect.poll(() => state(spec), patience).toBe('crashed')
    expect(await runtime.stop(spec, { graceMs: 1000 })).toEqual({ wasRunning: false })
    expect(await state(spec)).toBe('stopped')
  })

  it('define() while it runs holds from the next start on', async () => {
    const spec = await started('a', { GREETING: 'old' })
    const changed = { ...spec, environment: { ...spec.environment, GREETING: 'new' } }
    await runtime.define(changed)
    expect(await ask(spec, '/environment', { name: 'GREETING' })).toBe('old')
    await runtime.stop(spec, { graceMs: 10_000 })
    await runtime.start(changed)
    await serves(changed)
    expect(await ask(changed, '/environment', { name: 'GREETING' })).toBe('new')
  })

  it('two instances side by side know nothing of each other', async () => {
    const one = await started('Ünïcode “one”')
    const two = await started('two words')
    const id = await serves(two)
    const seen = await runtime.observeAll([one, two, await instance('three')])
    expect([...seen.values()]).toEqual(['started', 'started', 'stopped'])
    await ask(one, '/print', { text: 'of one' })
    await runtime.stop(one, { graceMs: 10_000 })
    expect(await serves(two)).toBe(id)
    expect([...(await runtime.observeAll([one, two])).values()]).toEqual(['stopped', 'started'])
    expect(await logOf(runtime, one)).toContain('of one')
    expect(await logOf(runtime, two)).not.toContain('of one')
  })

  it('start() that is aborted runs nothing, and may be tried again', core(), async () => {
    const spec = await instance()
    await runtime.define(spec)
    const reason = new Error('nobody wants it any more')
    await expect(runtime.start(spec, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(await state(spec)).toBe('stopped')
    // While it is at it: either it is too late, or nothing of it is left.
    const abort = new AbortController()
    const starting = runtime.start(spec, { signal: abort.signal }).then(
      () => true,
      (error: unknown) => error,
    )
    abort.abort(reason)
    const outcome = await starting
    if (outcome === true) await serves(spec)
    else expect([outcome, await state(spec), await ask(spec, '/id', {}, 500)]).toEqual([reason, 'stopped', undefined])
    await runtime.start(spec)
    await serves(spec)
    // Too late: what runs keeps running.
    const late = new AbortController()
    await runtime.start(spec, { signal: late.signal })
    late.abort(reason)
    expect(await ask(spec, '/id')).toBeDefined()
  })

  it('holds it to its limits, and reports what enforces each, and which are not enforced', core(), async (context) => {
    if (!runtime.capabilities.limits) return context.skip(`${runtime.name} has no limits`)
    const spec: InstanceSpec = { ...(await instance()), limits: { files: 1024, cpu: 400 } }
    await runtime.define(spec)
    await runtime.start(spec)
    await serves(spec)
    const { limits = [] } = await runtime.observe(spec)
    expect(limits).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'files', value: 1024 }),
        expect.objectContaining({ name: 'cpu', value: 400 }),
      ]),
    )
    const opened = Number(await ask(spec, '/files', { most: '2000' }))
    const isHeld = limits.some(({ name, by }) => name === 'files' && by !== 'none')
    expect(opened < 1024).toBe(isHeld)
    expect(opened).toBeGreaterThan(100)
    await runtime.stop(spec, { graceMs: 10_000 })
    expect((await runtime.observe(spec)).limits).toBeUndefined()
    const free = { ...spec, limits: {} }
    await runtime.start(free)
    await serves(free)
    const names = ((await runtime.observe(free)).limits ?? []).map(({ name }) => name)
    expect(names).not.toEqual(expect.arrayContaining(['files']))
  })

  describe('logs()', () => {
    it('is empty for one that never ran', async () => {
      expect(await logOf(runtime, await instance())).toEqual([])
    })

    it('gives the last lines, in order, also after it was stopped', core(), async () => {
      const spec = await started()
      await ask(spec, '/print', { text: 'Zeile – 行', times: '300' })
      await expect.poll(() => logOf(runtime, spec, 2), patience).toEqual(['Zeile – 行 299', 'Zeile – 行 300'])
      const all = await logOf(runtime, spec, 1000)
      expect(all.filter((line) => line.startsWith('Zeile'))).toHaveLength(300)
      expect(await logOf(runtime, spec)).toHaveLength(100)
      expect(await logOf(runtime, spec, 0)).toEqual([])
      await runtime.stop(spec, { graceMs: 10_000 })
      expect(await logOf(runtime, spec, 1)).toEqual(['Zeile – 行 300'])
    })

    it('keeps no more than it may while it runs, and loses nothing of what it keeps', async () => {
      const spec: InstanceSpec = { ...(await instance()), log: { maxBytes: 20_000, keep: 1 } }
      await runtime.define(spec)
      await runtime.start(spec)
      await serves(spec)
      await ask(spec, '/print', { text: 'first' })
      await expect.poll(() => logOf(runtime, spec, 10), patience).toContain('first')
      // Looked at now and then: each look finds more than one part may have.
      let round = 0
      const times = 500
      await expect
        .poll(
          async () => {
            await ask(spec, '/print', { text: `round ${++round} ${'x'.repeat(60)}`, times: String(times) })
            return logOf(runtime, spec, 1_000_000)
          },
          { timeout: 60_000, interval: 300 },
        )
        .not.toContain('first')
      const last = () => logOf(runtime, spec, 1)
      await expect.poll(last, patience).toEqual([`round ${round} ${'x'.repeat(60)} ${times}`])
      const kept = (await logOf(runtime, spec, 1_000_000)).filter((line) => line.startsWith('round'))
      const numbers = kept.map((line) => {
        const [, ofRound, , line_] = line.split(' ')
        return (Number(ofRound) - 1) * times + Number(line_)
      })
      const begin = round * times - kept.length + 1
      expect(numbers.slice(1)).toEqual(kept.slice(1).map((_, index) => begin + 1 + index))
    }, 90_000)

    it('follows what is written, over a stop and a start, until its signal', async () => {
      const spec = await started()
      const end = new AbortController()
      const lines: string[] = []
      const following = (async () => {
        for await (const line of runtime.logs(spec, { lines: 0, follow: true, signal: end.signal })) lines.push(line)
      })()
      await ask(spec, '/print', { text: 'before' })
      await runtime.stop(spec, { graceMs: 10_000 })
      await runtime.start(spec)
      await serves(spec)
      await ask(spec, '/print', { text: 'after' })
      await expect.poll(() => lines, patience).toEqual(expect.arrayContaining(['after']))
      end.abort()
      await following
      expect(lines.filter((line) => ['before', 'after'].includes(line)).at(-1)).toBe('after')
    })
  })

  describe('suspend()', () => {
    it('freezes it until resume(); both may be repeated', core(), async (context) => {
      if (!runtime.capabilities.suspend) return context.skip(`${runtime.name} cannot suspend`)
      const spec = await started()
      const id = await serves(spec)
      await runtime.suspend?.(spec, { maxMs: 60_000 })
      await runtime.suspend?.(spec, { maxMs: 60_000 })
      expect(await state(spec)).toBe('suspended')
      expect((await runtime.observeAll([spec])).get(spec.id)).toBe('suspended')
      expect(await ask(spec, '/id', {}, 300)).toBeUndefined()
      await runtime.resume?.(spec)
      await runtime.resume?.(spec)
      expect(await serves(spec)).toBe(id)
      expect(await state(spec)).toBe('started')
    })

    it('ends at its limit when it is not resumed', async (context) => {
      if (!runtime.capabilities.suspend) return context.skip(`${runtime.name} cannot suspend`)
      const spec = await started()
      await runtime.suspend?.(spec, { maxMs: 100 })
      await expect.poll(() => state(spec), patience).toBe('started')
    })

    it('stop() ends a suspended one', async (context) => {
      if (!runtime.capabilities.suspend) return context.skip(`${runtime.name} cannot suspend`)
      const spec = await started()
      await runtime.suspend?.(spec, { maxMs: 60_000 })
      const { code = 0, ...exit } = await runtime.stop(spec, { graceMs: 10_000 })
      expect({ code, exit }).toEqual({ code: 0, exit: { wasRunning: true } })
      expect(await state(spec)).toBe('stopped')
    })

    it('of one that does not run does nothing', async (context) => {
      if (!runtime.capabilities.suspend) return context.skip(`${runtime.name} cannot suspend`)
      const spec = await instance()
      await runtime.define(spec)
      await runtime.suspend?.(spec, { maxMs: 1000 })
      await runtime.resume?.(spec)
      expect(await state(spec)).toBe('stopped')
    })
  })

  describe('two copies', () => {
    /** The other copy of one that runs, not started yet. */
    async function copyOf(spec: InstanceSpec, label: string): Promise<InstanceSpec> {
      const port = await takeTestPort()
      const copy = (await runtime.serving?.(spec)) === 'a' ? 'b' : 'a'
      const environment = { ...spec.environment, TEST_PORT: String(port), GREETING: label }
      return { ...spec, copy, port, environment }
    }

    it('run side by side, are seen and stopped one by one, and either of them may serve', core(), async (context) => {
      if (!runtime.capabilities.parallelCopies) return context.skip(`${runtime.name} runs one copy only`)
      const first = await started()
      const id = await serves(first)
      const second = await copyOf(first, 'second')
      const away = { ...first, copy: (await runtime.serving?.(first)) as 'a' | 'b' }
      expect(await state(second)).toBe('stopped')
      await runtime.define(second)
      await runtime.start(second)
      const other = await serves(second)
      expect([await state(first), await state(second), await serves(first)]).toEqual(['started', 'started', id])
      expect(other).not.toBe(id)

      const seen = await runtime.observe(second)
      await runtime.serve?.(first, second.copy as 'b')
      await runtime.serve?.(first, second.copy as 'b')
      expect(await subject.another().serving?.(first)).toBe(second.copy)
      expect(await subject.another().observe(first)).toEqual(seen)
      await runtime.stop(away, { graceMs: 10_000 })
      expect([await state(away), await state(first)]).toEqual(['stopped', 'started'])
      expect((await subject.another().observeAll([first])).get(first.id)).toBe('started')
      expect([await ask(first, '/id', {}, 500), await serves(second)]).toEqual([undefined, other])

      // What is not asked for by its copy is the one that serves.
      await ask(second, '/print', { text: 'of the second' })
      await expect.poll(() => logOf(runtime, first), patience).toContain('of the second')
      await runtime.stop(first, { graceMs: 10_000 })
      expect([await state(first), await ask(second, '/id', {}, 500)]).toEqual(['stopped', undefined])
    })

    it('are ended by one stop(); undefine() refuses while either of them runs', async (context) => {
      if (!runtime.capabilities.parallelCopies) return context.skip(`${runtime.name} runs one copy only`)
      const first = await started()
      const second = await copyOf(first, 'second')
      await runtime.start(second)
      await serves(second)
      await runtime.stop({ ...first, copy: await runtime.serving?.(first) }, { graceMs: 10_000 })
      await expect(runtime.undefine(first)).rejects.toMatchObject({ code: 'ERR_STATE' })
      await runtime.start(first)
      await serves(first)
      expect(await runtime.stop(first, { graceMs: 10_000 })).toMatchObject({ wasRunning: true })
      expect([await state(first), await state(second)]).toEqual(['stopped', 'stopped'])
      expect([await ask(first, '/id', {}, 500), await ask(second, '/id', {}, 500)]).toEqual([undefined, undefined])
    })
  })

  it('processes() returns what runs', core(), async (context) => {
    if (!runtime.capabilities.processes) return context.skip(`${runtime.name} has no processes of this machine`)
    const begin = Date.now()
    const spec = await started()
    const { pids } = await runtime.observe(spec)
    const processes = await runtime.processes(spec)
    expect(processes.map(({ pid }) => pid)).toEqual(expect.arrayContaining([...pids]))
    expect(processes.reduce((sum, { memoryMb }) => sum + memoryMb, 0)).toBeGreaterThan(1)
    for (const { command, started: at } of processes) {
      expect(command).not.toBe('')
      expectAbout(at, begin)
    }
    const { memoryMb, cpuSeconds } = (await runtime.usageAll([spec])).get(spec.id) ?? {}
    expect(memoryMb).toBeGreaterThan(1)
    expect(cpuSeconds?.size).toBe(processes.length)
    await runtime.stop(spec, { graceMs: 10_000 })
    expect(await runtime.processes(spec)).toEqual([])
    expect((await runtime.usageAll([spec])).size).toBe(0)
  })

  it('start() with debug opens a debugger on loopback; the next start does not', async (context) => {
    if (!runtime.capabilities.debug) return context.skip(`${runtime.name} has no debugger`)
    const spec = await instance()
    await runtime.define(spec)
    await runtime.start(spec, { debug: true })
    await serves(spec)
    const { debugAddress } = await runtime.observe(spec)
    // With a path where who knows the port alone must not be able to use it.
    expect(debugAddress).toMatch(/^127\.0\.0\.1:\d+(\/[-\w]+)?$/)
    expect(await listens(Number(new URL(`ws://${debugAddress}`).port))).toBe(true)
    await runtime.stop(spec, { graceMs: 10_000 })
    await runtime.start(spec)
    await serves(spec)
    expect((await runtime.observe(spec)).debugAddress).toBeUndefined()
  })
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.once('error', () => resolve(false)).unref()
  })
}
