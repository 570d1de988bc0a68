import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StoreError } from '../../errors.js'
import type { ActionDefinition } from '../actions/action.js'
import { defineObject } from '../definition/define-object.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { systemPrincipal } from '../rights/principal.js'
import type { ObjectStore } from '../store.js'
import { systemObjects } from '../system/system-objects.js'
import { createRandom, type Random } from '../testing/random.js'
import type { Task } from './business-objects.js'
import { createBusinessObjects } from './create-business-objects.js'

const isDeep = process.env['TEST_DEEP'] === '1'
/** `SIM_SEED=4711 SIM_COUNT=1` repeats one history; `SIM_COUNT=2000` looks for longer. */
const firstSeed = Number(process.env['SIM_SEED'] ?? (isDeep ? Math.floor(Date.now() / 86_400_000) * 1000 : 1))
const histories = Number(process.env['SIM_COUNT'] ?? (isDeep ? 1000 : 10))

const ann = systemPrincipal({ userId: '7', login: 'ann' })
const kinds = ['again', 'deaf', 'once'] as const

/** How a process reaches the database: `up` is slow at times, and now and then a call fails, before or after its work. */
interface Line {
  state: 'direct' | 'up' | 'away' | 'stalled' | 'dead'
  /** Who waits for the end of a stall. */
  waiting: (() => void)[]
}

interface Run {
  readonly number: number
  readonly process: number
  /** In ms since 1970. */
  readonly at: number
}

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    now: Date.UTC(2026, 0, 1),
  })
})
afterEach(() => {
  vi.useRealTimers()
})

const seeds = Array.from({ length: histories }, (_, at) => firstSeed + at)
test.each(seeds)('every task of several processes ends, once and for all (SIM_SEED=%i)', async (seed) => {
  const { tasks, statusesOf, open, runs, cancelled, closed, happened } = await history(seed)
  const hint = `SIM_SEED=${seed}\n${happened.join('\n')}`
  expect(open(), hint).toEqual([])
  for (const { number, state } of tasks) {
    const own = runs.filter((run) => run.number === number)
    const last = own.at(-1)
    const all = `${JSON.stringify(state)} ${JSON.stringify(own)}\n${hint}`
    expect(state.status, all).not.toBe('running')
    expect(new Set(await statusesOf(state.id)), all).toEqual(new Set([state.status]))
    if (state.action === 'once') expect(own.length, all).toBeLessThan(2)
    if (state.status === 'done') expect(state.result, all).toBe(`${number} by ${last?.process}`)
    if (state.status === 'cancelled' && !cancelled.has(state.id)) {
      expect(state.action, all).toBe('once')
      if (last) expect(closed, all).toContain(last.process)
    }
    // Times of tasks are in whole seconds.
    const ended = Date.parse(`${state.ended.replace(' ', 'T')}Z`) + 1000
    for (const { at } of own) expect(at, all).toBeLessThan(ended)
  }
})

/** Processes that start, cancel, stall, lose their database, die and close, and what is left when all is well again. */
async function history(seed: number) {
  const random = createRandom(seed)
  const data = createMemoryStore()
  const failing = random.pick([5, 20, Infinity])
  const runs: Run[] = []
  const happened: string[] = []
  const ids: string[] = []
  const cancelled = new Set<string>()
  const closed: number[] = []
  let numbers = 0
  let started = 0
  let processes = Array.from({ length: 1 + random.below(3) }, startProcess)

  function startProcess() {
    const process = ++started
    const line: Line = { state: 'up', waiting: [] }
    const action = (more: Partial<ActionDefinition>, isDeaf = false): ActionDefinition => ({
      scope: 'global',
      background: true,
      parameters: { number: { type: 'integer' }, ms: { type: 'integer' } },
      async run({ parameters, progress, signal }) {
        const { number, ms } = parameters as { readonly number: number; readonly ms: number }
        runs.push({ number, process, at: Date.now() })
        note(process, `runs ${number}`)
        for (let done = 0; done < ms; done += 500) {
          await sleep(500)
          if (line.state === 'dead') await never()
          if (!isDeaf) signal.throwIfAborted()
          progress(done, ms)
        }
        if (number % 7 === 0) throw new Error('It fails.')
        return `${number} by ${process}`
      },
      ...more,
    })
    const actions = { again: action({ resumable: true }), deaf: action({ resumable: true }, true), once: action({}) }
    const Job = defineObject({ name: 'Job', fields: { job_name: { type: 'string' } }, actions })
    const { store, pass } = reachedBy(data, line, random, failing)
    const principalOf = async () => {
      await pass()
      return ann
    }
    const service = createBusinessObjects({
      model: createModel([...systemObjects, Job]),
      store,
      onError: () => {},
      tasks: { maxRunning: 2, maxPerUser: 1000, principalOf, durable: {} },
    })
    return { process, line, service }
  }

  function note(process: number, what: string): void {
    happened.push(`${performance.now()} process ${process} ${what}`)
  }

  function replace(one: (typeof processes)[number]): void {
    processes = [...processes.filter((other) => other !== one), startProcess()]
  }

  function begin({ service }: (typeof processes)[number]): void {
    const parameters = { number: ++numbers, ms: random.below(40) * 500 }
    service.action(ann, 'Job', random.pick(kinds), { parameters }).then(
      (answer) => void ids.push((answer as { task: Task }).task.id),
      () => {},
    )
  }

  for (let step = 0; step < 30; step++) {
    const one = random.pick(processes)
    const what = random.pick(['begin', 'begin', 'begin', 'fail', 'mend', 'mend', 'die', 'close', 'cancel'] as const)
    if (what === 'begin') for (let left = 1 + random.below(3); left > 0; left--) begin(one)
    else if (what === 'fail') change(one.line, random.pick(['away', 'stalled', 'stalled'] as const))
    else if (what === 'mend') for (const { line } of processes) change(line, 'up')
    else if (what === 'cancel') {
      const id = ids.length > 0 ? random.pick(ids) : 'none'
      cancelled.add(id)
      one.service.cancelTask(ann, id).catch(() => {})
    } else if (random.oneIn(2)) {
      if (what === 'die') change(one.line, 'dead')
      else {
        closed.push(one.process)
        void one.service.close()
        await vi.advanceTimersByTimeAsync(6000)
      }
      replace(one)
    }
    note(one.process, what)
    await vi.advanceTimersByTimeAsync(random.below(random.pick([200, 4000, 12_000])))
  }
  for (const { line } of processes) change(line, 'direct')
  await vi.advanceTimersByTimeAsync(600_000)

  const object = createModel([...systemObjects]).object('BackgroundTask')
  const tasks: { readonly number: number; readonly state: Task }[] = []
  const select = object.select(['tsk_state', 'tsk_status', 'tsk_request'])
  for await (const rows of data.search(object, { select, order: object.order }))
    for (const row of rows) {
      const { parameters } = JSON.parse(row['tsk_request'] as string) as { parameters: { number: number } }
      const state = JSON.parse(row['tsk_state'] as string) as Task
      tasks.push({ number: parameters.number, state: { ...state, status: row['tsk_status'] as Task['status'] } })
    }
  return {
    tasks,
    runs,
    cancelled,
    closed,
    happened,
    open: () => processes.filter(({ service }) => service.openTasks() > 0).map(({ process }) => process),
    statusesOf: (id: string) => Promise.all(processes.map(async ({ service }) => (await service.task(ann, id)).status)),
  }
}

function change(line: Line, state: Line['state']): void {
  line.state = state
  for (const resume of line.waiting.splice(0)) resume()
}

function reachedBy(data: ObjectStore, line: Line, random: Random, failing: number) {
  const pass = async (): Promise<void> => {
    if (line.state !== 'direct' && random.oneIn(3)) await sleep(random.below(300))
    while (line.state === 'stalled') await new Promise<void>((resolve) => line.waiting.push(resolve))
    if (line.state === 'dead') await never()
    if (line.state === 'away' || (line.state === 'up' && failing < Infinity && random.oneIn(failing)))
      throw new StoreError('unavailable', 'The database cannot be reached.')
  }
  const through =
    <P extends unknown[], R>(work: (...parameters: P) => Promise<R>) =>
    async (...parameters: P): Promise<R> => {
      await pass()
      const result = await work(...parameters)
      await pass()
      return result
    }
  const store: ObjectStore = {
    ...data,
    get: through(data.get),
    insert: through(data.insert),
    update: through(data.update),
    delete: through(data.delete),
    async *search(object, query) {
      await pass()
      yield* data.search(object, query)
    },
  }
  return { store, pass }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function never(): Promise<never> {
  return new Promise(() => {})
}
