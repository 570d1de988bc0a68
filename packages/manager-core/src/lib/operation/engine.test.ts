import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ManagerError } from '../../errors.js'
import type { ManagerContext, OperationKind, Operations, Step } from '../context.js'
import type { Caller, OperationEvent } from '../domain/caller.js'
import { fullGrant } from '../domain/grant.js'
import { createJournal } from '../store/journal.js'
import { sqlite } from '../store/sqlite.js'
import { identify } from '../system/process-identity.js'
import { leastContext } from '../testing/least-context.js'
import { madeUpKind, testInstance, type MadeUpRequest } from '../testing/made-up-operation.js'
import { crashOperation } from '../testing/run-program.js'
import { createOperations } from './engine.js'

let folder: string
let test: { readonly home: string; readonly context: ManagerContext; readonly caller: Caller }
let operations: Operations
const kinds = new Map<string, OperationKind>()

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-engine-'))
  const home = join(folder, 'home')
  mkdirSync(join(home, 'instances'), { recursive: true })
  open(home)
  writeFileSync(join(test.home, 'list'), 'old\n')
  kinds.clear()
  kinds.set(madeUpKind.kind, madeUpKind)
})

afterEach(() => {
  test.context.registry.close()
  rmSync(folder, { recursive: true, force: true })
})

function open(home: string): void {
  const context = leastContext(home)
  test = { home, context, caller: { actor: 'tester', surface: 'cli', grant: fullGrant } }
  operations = createOperations({ context: () => context, kinds: () => kinds, clock: context.clock })
}

const journal = () => createJournal(test.context.registry, { clock: () => new Date() })

/** All that a made-up operation touches. */
const state = () => ({
  instances: test.context.registry.instances().map(({ name, desired, operation }) => ({ name, desired, operation })),
  folders: readdirSync(join(test.home, 'instances')),
  list: readFileSync(join(test.home, 'list'), 'utf8'),
  open: journal()
    .open()
    .map((entry) => entry.state),
})
const before = { instances: [], folders: [], list: 'old\n', open: [] }
const after = {
  instances: [{ name: 'Demo', desired: 'started', operation: '' }],
  folders: ['iDemo'],
  list: 'old\nDemo\n',
  open: [],
}

function run(request: Partial<MadeUpRequest> = {}, caller: Partial<Caller> = {}) {
  return operations.run(madeUpKind, { name: 'Demo', ...request }, { ...test.caller, ...caller })
}

const failure = (promise: Promise<unknown>) => promise.then(() => undefined).catch((error: ManagerError) => error)

/** As a process does that dies at that entry of the journal. */
const crash = (at: number, request?: MadeUpRequest) => crashOperation({ home: test.home, at, request })

describe('run()', () => {
  it('does the steps, commits and has one entry in the history', async () => {
    const events: OperationEvent[] = []
    const result = await run({}, { onEvent: (event) => events.push(event) })
    expect(state()).toEqual(after)
    expect(result).toMatchObject({ instance: { id: 'iDemo', name: 'Demo' }, warnings: ['cleaned'] })
    expect(result.outcomes.get('build')).toEqual({ bytes: 3 })
    expect(test.context.registry.history()).toMatchObject([
      {
        action: 'make-up',
        instance: 'Demo',
        actor: 'tester',
        result: 'ok',
        message: 'cleaned',
        parameters: { name: 'Demo' },
      },
    ])
    expect(events[0]).toMatchObject({ type: 'planned', title: 'Make "Demo" up' })
    expect(events.filter(({ type }) => type === 'step')).toHaveLength(10)
  })

  it.each([{}, { failAfter: 'build' }])(
    'has its locks free while the registry is copied, after %o',
    async (request) => {
      const { context, caller } = test
      const free: boolean[] = []
      const keep = () => {
        const lock = context.locks.tryAcquire(madeUpKind.locks({ name: 'Demo' }, context), 'the next command')
        lock?.release()
        free.push(lock !== undefined)
        return undefined
      }
      const watched = { ...context, registryCopies: { list: () => [], keep } }
      const { run: runWatched } = createOperations({
        context: () => watched,
        kinds: () => kinds,
        clock: context.clock,
      })
      await runWatched(madeUpKind, { name: 'Demo', ...request }, caller).catch(() => {})
      expect(free).toEqual([true])
    },
  )

  it.each(['reserve', 'build', 'overwrite'])('undoes all when "%s" fails after its effect', async (failAfter) => {
    const error = await failure(run({ failAfter }))
    expect(error).toMatchObject({
      code: 'ERR_ROLLED_BACK',
      message: expect.stringMatching(/^Make "Demo" up: ".*" fails, as it was told\. All changes were rolled back\.$/),
      cause: { code: 'ERR_FAILED' },
    })
    expect(state()).toEqual(before)
    expect(test.context.registry.history()).toMatchObject([{ result: 'rolled-back', operation: error?.operation }])
    await run()
    expect(state()).toEqual(after)
  })

  it.each(['switch', 'clean'])(
    'needs attention when "%s" fails, from which there is no way back',
    async (failAfter) => {
      expect(await failure(run({ failAfter }))).toMatchObject({ code: 'ERR_ATTENTION', command: 'doctor --fix' })
      expect(state()).toMatchObject({ open: ['attention'], list: 'old\nDemo\n' })
      expect(test.context.registry.history()).toMatchObject([{ result: 'attention' }])
    },
  )

  it('needs attention when the commit fails after the point of no return', async () => {
    expect(await failure(run({ failCommit: true }))).toMatchObject({ code: 'ERR_ATTENTION' })
    expect(state()).toMatchObject({ open: ['attention'], folders: ['iDemo'] })
  })

  it('undoes all when the commit fails before any point of no return', async () => {
    const kind = withSteps((steps) => steps.slice(0, 3))
    const error = await failure(operations.run(kind, { name: 'Demo', failCommit: true }, test.caller))
    expect(error).toMatchObject({ code: 'ERR_ROLLED_BACK' })
    expect(state()).toEqual(before)
  })

  it('undoes all when the intent of the point of no return cannot be made', async () => {
    const kind = withSteps((steps) =>
      steps.map((step) => (step.pointOfNoReturn ? { ...step, intent: () => Promise.reject(new Error('no')) } : step)),
    )
    expect(await failure(operations.run(kind, { name: 'Demo' }, test.caller))).toMatchObject({
      code: 'ERR_ROLLED_BACK',
    })
    expect(state()).toEqual(before)
  })

  it('passes on the refusal of a step after undoing the others', async () => {
    test.context.registry.transaction((writer) => writer.insertInstance(testInstance({ name: 'DEMO', port: 50_000 })))
    expect(await failure(run())).toMatchObject({ code: 'ERR_NAME_TAKEN' })
    expect(state().open).toEqual([])
  })

  it('is not stopped by a surface that fails to show it', async () => {
    await run(
      {},
      {
        onEvent: () => {
          throw new Error('EPIPE')
        },
      },
    )
    expect(state()).toEqual(after)
  })

  it('has nothing in the journal when it is refused', async () => {
    const kind = { ...madeUpKind, inspect: () => Promise.reject(new Error('refused')) }
    expect(await failure(operations.run(kind, { name: 'Demo' }, test.caller))).toMatchObject({ message: 'refused' })
    expect(state()).toEqual(before)
    expect(test.context.registry.history()).toEqual([])
  })
})

describe('cancelling', () => {
  it.each(['reserve', 'build', 'overwrite'])('undoes all when it comes during "%s"', async (during) => {
    const controller = new AbortController()
    const kind = cancelling(during, controller)
    const error = await failure(operations.run(kind, { name: 'Demo' }, { ...test.caller, signal: controller.signal }))
    expect(error).toMatchObject({ code: 'ERR_ROLLED_BACK', message: expect.stringContaining('It was cancelled.') })
    expect(state()).toEqual(before)
  })

  it.each(['switch', 'clean'])('is too late during "%s"', async (during) => {
    const controller = new AbortController()
    const kind = cancelling(during, controller)
    await operations.run(kind, { name: 'Demo' }, { ...test.caller, signal: controller.signal })
    expect(state()).toEqual(after)
  })

  it('does not reach what is undone', async () => {
    const controller = new AbortController()
    const seen: boolean[] = []
    const kind = withSteps((steps) =>
      steps.map((step) => ({
        ...step,
        async do(given) {
          if (step.id === 'overwrite') controller.abort()
          given.signal.throwIfAborted()
          return step.do(given)
        },
        ...(step.undo && {
          async undo(given) {
            seen.push(given.signal.aborted)
            await step.undo?.(given)
          },
        }),
      })),
    )
    await failure(operations.run(kind, { name: 'Demo' }, { ...test.caller, signal: controller.signal }))
    expect(seen).toEqual([false, false, false])
    expect(state()).toEqual(before)
  })

  it('ends the waiting for a lock', async () => {
    const lock = test.context.locks.tryAcquire(['name:demo'], 'somebody')
    const controller = new AbortController()
    const waiting = failure(run({}, { waitMs: Infinity, signal: controller.signal, onEvent: () => controller.abort() }))
    expect(await waiting).toMatchObject({ code: 'ERR_BUSY', message: 'Busy: the name "demo" is in use by somebody.' })
    lock?.release()
  })
})

describe('an operation that needs attention', () => {
  beforeEach(async () => {
    writeFileSync(join(test.home, 'broken'), '')
    await failure(run({ failAfter: 'overwrite', failUndo: 'build' }))
  })

  it('says why it started to be undone, and why it could not be', () => {
    expect(test.context.registry.history()[0]?.message).toBe(
      '"Overwrite the list" fails, as it was told. It could not be rolled back: Build it beside cannot be undone.',
    )
  })

  it('refuses all others on its instance and name, also dry runs', async () => {
    const expected = {
      code: 'ERR_ATTENTION',
      message: expect.stringContaining('cannot be undone'),
      command: 'doctor --fix',
    }
    expect(await failure(run())).toMatchObject(expected)
    expect(await failure(operations.plan(madeUpKind, { name: 'Demo' }, test.caller))).toMatchObject(expected)
  })

  it('leaves the others alone', async () => {
    await run({ name: 'Other' })
    expect(state().instances).toContainEqual({ name: 'Other', desired: 'started', operation: '' })
  })

  it('ends with one that replaces all, when that succeeds', async () => {
    const plan = (steps: readonly Step[]) => ({ title: 'Replace it', instance: { id: 'iDemo', name: 'Demo' }, steps })
    const replacing = (steps: readonly Step[]): OperationKind => ({
      ...{ kind: 'replace', locks: () => ['instance:iDemo', 'name:demo'], inspect: async () => ({}) },
      ...{ replacesAll: () => true, plan: () => plan(steps) },
    })
    const failing: Step = {
      id: 'no',
      title: 'Fail',
      check: () => 'not-done',
      do: () => Promise.reject(new Error('no')),
    }
    expect(await failure(operations.run(replacing([failing]), {}, test.caller))).toMatchObject({
      code: 'ERR_ROLLED_BACK',
    })
    expect(state().open).toEqual(['attention'])
    const { warnings } = await operations.run(replacing([]), {}, test.caller)
    expect(warnings).toEqual(['This ended an earlier operation that needed attention: Make "Demo" up.'])
    expect(state().open).toEqual([])
    expect(test.context.registry.history().map(({ action, result }) => `${action} ${result}`)).toEqual([
      ...['make-up attention', 'replace rolled-back', 'giveup ok', 'replace ok'],
    ])
  })

  it('is not tried again by itself', async () => {
    rmSync(join(test.home, 'broken'))
    expect(await operations.recover(test.caller)).toEqual([])
    expect(state().open).toEqual(['attention'])
  })

  it('ends when it is tried again and the reason is gone', async () => {
    const [entry] = journal().open()
    const id = String(entry?.id)
    expect(await operations.retry(id, test.caller)).toBe('attention')
    rmSync(join(test.home, 'broken'))
    expect(await operations.retry(id, test.caller)).toBe('rolled_back')
    expect(state()).toEqual(before)
    expect(await failure(operations.retry(id, test.caller))).toMatchObject({ code: 'ERR_NOT_FOUND' })
    await run()
    expect(state()).toEqual(after)
  })
})

describe('recover()', () => {
  const unfinished = () => test.context.registry.history().map(({ result }) => result)

  it('brings a killed operation exactly before or exactly after, wherever it was killed', async () => {
    const seen = new Set<string>()
    for (let at = 1; ; at++) {
      const report = await crash(at, { name: 'Demo' })
      if (report) {
        expect(report.points).toHaveLength(at - 1)
        expect(at).toBe(1 + 1 + 1 + 5 * 3 + 1)
        break
      }
      const interrupted = journal().open().length
      await operations.recover(test.caller)
      const now = state()
      expect(now, `after a kill at ${at}`).toEqual(now.instances.length === 0 ? before : after)
      seen.add(now.instances.length === 0 ? 'before' : 'after')
      expect(unfinished()).toHaveLength(1)
      if (interrupted) expect(await operations.recover(test.caller)).toEqual([])
      await clear()
    }
    expect([...seen]).toEqual(['before', 'after'])
  })

  it.each([8, 11, 14])(
    'bears being killed itself, wherever, after a kill at %i',
    async (at) => {
      expect(await crash(at, { name: 'Demo' })).toBeUndefined()
      const { home } = test
      for (let again = 1; ; again++) {
        test.context.registry.close()
        cpSync(home, `${home}-${again}`, { recursive: true })
        open(`${home}-${again}`)
        const report = await crash(again)
        if (!report) await operations.recover(test.caller)
        expect(state(), `after kills at ${at} and ${again}`).toEqual(at < 12 ? before : after)
        if (report) break
      }
    },
    120_000,
  )

  async function clear() {
    test.context.registry.transaction((writer) => writer.deleteInstance('iDemo'))
    test.context.registry[sqlite].exec('delete from history; delete from operation')
    rmSync(join(test.home, 'instances', 'iDemo'), { recursive: true, force: true })
    writeFileSync(join(test.home, 'list'), 'old\n')
  }

  it('reports what it did', async () => {
    await crash(8, { name: 'Demo' })
    const events: OperationEvent[] = []
    const recovered = await operations.recover({ ...test.caller, onEvent: (event) => events.push(event) })
    expect(recovered).toMatchObject([{ kind: 'make-up', instance: 'Demo', state: 'rolled_back' }])
    expect(events[0]).toMatchObject({ type: 'recovering', title: 'Make "Demo" up' })
    expect(test.context.registry.history()).toMatchObject([
      { result: 'rolled-back', actor: 'crash', message: 'The process that ran it ended.' },
    ])
  })

  it.each([6, 12])('asks for attention when it is unknown whether a step was done, after a kill at %i', async (at) => {
    writeFileSync(join(test.home, 'unknown'), '')
    await crash(at, { name: 'Demo', unknown: at === 6 ? 'build' : 'switch' })
    expect(await operations.recover(test.caller)).toMatchObject([{ state: 'attention' }])
    expect(await failure(run())).toMatchObject({
      code: 'ERR_ATTENTION',
      message: expect.stringContaining('It is unknown whether'),
    })
    rmSync(join(test.home, 'unknown'))
    const [entry] = journal().open()
    await operations.retry(String(entry?.id), test.caller)
    expect(state()).toEqual(at === 6 ? before : after)
  })

  it('ends what needs attention with one that replaces all, killed after its point of no return', async () => {
    await crash(12, { name: 'Demo' })
    test.context.registry[sqlite].exec(
      `insert into operation
         (id, kind, instance_id, instance, title, actor, surface, address, request, facts, locks, state, owner, started)
       select 'earlier', kind, instance_id, instance, title, actor, surface, address, request, facts, locks,
         'attention', owner, started from operation`,
    )
    kinds.set(madeUpKind.kind, { ...madeUpKind, replacesAll: () => true })
    expect(await operations.recover(test.caller)).toMatchObject([{ state: 'succeeded' }])
    expect(state()).toEqual(after)
  })

  it('does not wait: what another process recovers is left to it', async () => {
    await crash(8, { name: 'Demo' })
    const lock = test.context.locks.tryAcquire(['ports'], 'another')
    expect(await operations.recover(test.caller)).toEqual([])
    expect(state().open).toEqual(['running'])
    lock?.release()
    expect(await operations.recover(test.caller)).toHaveLength(1)
  })

  it('leaves the operation of a living process alone', async () => {
    await crash(8, { name: 'Demo' })
    test.context.registry[sqlite].prepare('update operation set owner = ?').run(JSON.stringify(identify(process.ppid)))
    expect(await operations.recover(test.caller)).toEqual([])
  })

  it.each([
    ['start', (owner: object) => ({ ...owner, start: '1' })],
    ['boot', (owner: object) => ({ ...owner, boot: 'another' })],
  ])('knows by its %s that a pid belongs to another process by now', async (_what, forge) => {
    await crash(8, { name: 'Demo' })
    const owner = forge(identify(process.ppid) as object)
    test.context.registry[sqlite].prepare('update operation set owner = ?').run(JSON.stringify(owner))
    expect(await operations.recover(test.caller)).toHaveLength(1)
    expect(state()).toEqual(before)
  })

  it('continues when a kind is not known or cannot be planned any more', async () => {
    await crash(8, { name: 'Demo' })
    await crash(8, { name: 'Other' })
    const set = test.context.registry[sqlite].prepare('update operation set kind = ? where instance = ?')
    set.run('of-tomorrow', 'Demo')
    const events: OperationEvent[] = []
    const onEvent = (event: OperationEvent) => events.push(event)
    expect(await operations.recover({ ...test.caller, onEvent })).toMatchObject([{ instance: 'Other' }])
    expect(events).toContainEqual(expect.objectContaining({ text: expect.stringContaining('"of-tomorrow"') }))
    expect(await failure(run())).toMatchObject({ code: 'ERR_ATTENTION' })
    set.run('make-up', 'Demo')
    kinds.set('make-up', {
      ...madeUpKind,
      plan: () => {
        throw new Error('no such facts')
      },
    })
    expect(await operations.recover(test.caller)).toMatchObject([{ state: 'attention' }])
  })

  it('asks for attention when the steps are others than those that were started', async () => {
    await crash(8, { name: 'Demo' })
    kinds.set(
      'make-up',
      withSteps((steps) => steps.map((step) => ({ ...step, id: `new-${step.id}` }))),
    )
    expect(await operations.recover(test.caller)).toMatchObject([{ state: 'attention' }])
    expect(journal().open()[0]?.message).toContain('This version of the manager does not have its step')
  })

  it('happens also when the owner dies while another operation waits for it', async () => {
    const lock = test.context.locks.tryAcquire(['name:demo'], 'somebody')
    const waiting = run({}, { waitMs: 600_000 })
    const second = await crashBeside()
    lock?.release()
    await waiting
    expect(second).toBeUndefined()
    expect(state()).toEqual(after)
  })

  /** Leaves a half-done operation on the same name, as the one that is waited for would. */
  async function crashBeside() {
    const result = await crash(8, { name: 'Twin' })
    test.context.registry.transaction((writer) => writer.deleteInstance('iTwin'))
    test.context.registry[sqlite].exec(
      `update operation set instance = 'Demo', instance_id = 'iDemo', request = '{"name":"Demo"}', locks = '["name:demo","ports"]'`,
    )
    return result
  }

  it('finds no operation in this process that is still running', async () => {
    let found: unknown
    const kind = withSteps((steps) => [
      ...steps,
      {
        id: 'look',
        title: 'Look',
        do: async () => void (found = await operations.recover(test.caller)),
        check: () => 'done',
      },
    ])
    await operations.run(kind, { name: 'Demo' }, test.caller)
    expect(found).toEqual([])
  })
})

describe('plan()', () => {
  it('lists the steps and has no effect', async () => {
    const plan = await operations.plan(madeUpKind, { name: 'Demo' }, test.caller)
    expect(plan.steps.map(({ id, undoable, pointOfNoReturn }) => [id, undoable, pointOfNoReturn])).toEqual([
      ['reserve', true, false],
      ['build', true, false],
      ['overwrite', true, false],
      ['switch', false, true],
      ['clean', false, false],
    ])
    expect(state()).toEqual(before)
  })
})

it('refuses an operation within another on the same instance', async () => {
  const kind = withSteps((steps) => [
    { id: 'nested', title: 'Nest', do: async () => void (await run()), check: () => 'not-done' },
    ...steps,
  ])
  expect(await failure(operations.run(kind, { name: 'Demo' }, test.caller))).toMatchObject({
    code: 'ERR_BUSY',
    message: expect.stringContaining(`process ${process.pid}`),
  })
  expect(existsSync(join(test.home, 'instances', 'iDemo'))).toBe(false)
})

function withSteps(change: (steps: readonly Step[]) => readonly Step[]): typeof madeUpKind {
  return {
    ...madeUpKind,
    plan(request, facts) {
      const plan = madeUpKind.plan(request, facts)
      return { ...plan, steps: change(plan.steps) }
    },
  }
}

function cancelling(during: string, controller: AbortController): typeof madeUpKind {
  return withSteps((steps) =>
    steps.map((step) => ({
      ...step,
      async do(given) {
        const outcome = await step.do(given)
        if (step.id === during) controller.abort()
        given.signal.throwIfAborted()
        return outcome
      },
    })),
  )
}
