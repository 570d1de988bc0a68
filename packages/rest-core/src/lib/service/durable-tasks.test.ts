import { afterEach, expect, test, vi } from 'vitest'
import { StoreError } from '../../errors.js'
import type { ActionDefinition } from '../actions/action.js'
import { defineObject } from '../definition/define-object.js'
import type { Filter } from '../filter/filter.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { createPrincipal, systemPrincipal } from '../rights/principal.js'
import type { Principal } from '../rights/rights.js'
import type { ObjectStore } from '../store.js'
import { systemObjects } from '../system/system-objects.js'
import type { BusinessObjects, Task } from './business-objects.js'
import { createBusinessObjects } from './create-business-objects.js'

const ann = systemPrincipal({ userId: '7', login: 'ann' })
const system = systemPrincipal()
const soon = { timeout: 30_000 }
/** Longer than any pause of this process: no process is taken for dead. */
const never = 600_000

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

/** Processes on one database, whose actions wait at a gate. */
function fixture() {
  const data = createMemoryStore()
  const users = new Map<string, Principal>([['7', ann]])
  const principalOf = vi.fn<(id: string) => Promise<Principal | undefined>>(async (id) => users.get(id))

  function startProcess(name: string, { everyMs = 10, leaseMs = never } = {}) {
    const gates: (() => void)[] = []
    const aborted: number[] = []
    let isCut = false
    const gate = (more: Partial<ActionDefinition> = {}, isDeaf = false): ActionDefinition => ({
      scope: 'global',
      background: true,
      parameters: { number: { type: 'integer' } },
      async run({ parameters, progress, signal }) {
        progress(1, 2, `in ${name}`)
        await new Promise<void>((resolve, reject) => {
          gates.push(resolve)
          signal.addEventListener('abort', () => {
            aborted.push(parameters['number'] as number)
            if (!isDeaf) reject(signal.reason as Error)
          })
        })
        return `${String(parameters['number'])} by ${name}`
      },
      ...more,
    })
    const actions = { again: gate({ resumable: true }), deaf: gate({ resumable: true }, true), once: gate() }
    const Job = defineObject({ name: 'Job', fields: { job_name: { type: 'string' } }, actions })
    let silence: Promise<void> | undefined
    const store = cutOff(
      data,
      () => isCut,
      () => silence,
    )
    const errors: unknown[] = []
    const model = createModel([...systemObjects, Job])
    const service = createBusinessObjects({
      model,
      store,
      tasks: { principalOf, durable: { everyMs, leaseMs } },
      onError: (error) => errors.push(error),
    })
    cleanUps.push(() => service.close())
    return {
      service,
      gates,
      aborted,
      errors,
      cut: (cut: boolean) => (isCut = cut),
      /** The database does not answer any more. */
      silence: () => {
        const ended = Promise.withResolvers<void>()
        silence = ended.promise
        cleanUps.push(async () => ended.resolve())
      },
      /** The others have seen no sign of life for long enough; the process itself has not noticed. */
      die: async () => {
        isCut = true
        const lease = model.object('Lease')
        for await (const rows of data.search(lease, { select: lease.select([]), order: lease.order }))
          for (const { row_id: id } of rows)
            await data.update(lease, id, { lse_owner: '' }, { select: lease.select([]) })
      },
      start: async (action: string, number = 1): Promise<string> => {
        const answer = await service.action(ann, 'Job', action, { parameters: { number } })
        return (answer as { task: Task }).task.id
      },
    }
  }

  /** As another process writes it. */
  async function write(id: string, values: Readonly<Record<string, string | boolean>>): Promise<void> {
    const object = createModel([...systemObjects]).object('BackgroundTask')
    const select = object.select([])
    const where: Filter = { op: '=', field: 'tsk_id', value: id }
    for await (const rows of data.search(object, { select, where, order: object.order }))
      for (const { row_id: row } of rows) await data.update(object, row, values, { select })
  }

  return {
    startProcess,
    askToStop: (id: string) => write(id, { tsk_cancel: true }),
    /** Another process takes the task, and ends. */
    takeAway: (id: string) => write(id, { tsk_owner: 'ended' }),
    users,
    principalOf,
  }
}

/** A store as a process sees it that no longer reaches the database: its calls fail, or wait for the end of the silence. */
function cutOff(store: ObjectStore, isCut: () => boolean, silence: () => Promise<void> | undefined): ObjectStore {
  return new Proxy(store, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver)
      if (typeof value !== 'function') return value
      return (...parameters: unknown[]) => {
        if (isCut()) throw new StoreError('unavailable', 'The database cannot be reached.')
        const work = () => (value as (...all: unknown[]) => unknown).apply(target, parameters)
        const ended = silence()
        if (!ended) return work()
        return name === 'search' ? after(ended, work as () => ReturnType<ObjectStore['search']>) : ended.then(work)
      }
    },
  })
}

async function* after(ended: Promise<void>, search: () => ReturnType<ObjectStore['search']>) {
  await ended
  yield* search()
}

const statusOf = async (service: BusinessObjects, id: string) => (await service.task(ann, id)).status

test('task() and cancelTask() work in another process', async () => {
  const { startProcess } = fixture()
  const [one, two] = [startProcess('one'), startProcess('two')]
  const id = await one.start('once')
  expect(await two.service.task(ann, id)).toMatchObject({ id, object: 'Job', action: 'once', status: 'running' })
  await expect.poll(async () => (await two.service.task(ann, id)).text, soon).toBe('in one')
  const bob = createPrincipal({ userId: '8', login: 'bob', rights: { object: () => undefined } })
  await expect(two.service.task(bob, id)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await expect(two.service.cancelTask(bob, id)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  const listed = []
  for await (const rows of await two.service.search(system, 'BackgroundTask', {})) listed.push(...rows)
  expect(listed).toMatchObject([{ tsk_id: id, tsk_login: 'ann', tsk_status: 'running' }])
  expect(listed[0]).not.toHaveProperty('tsk_request')
  await two.service.cancelTask(ann, id)
  await expect.poll(() => statusOf(one.service, id), soon).toBe('cancelled')
  await expect.poll(() => statusOf(two.service, id), soon).toBe('cancelled')
})

test('the result of a task is the same in another process', async () => {
  const { startProcess } = fixture()
  const [one, two] = [startProcess('one'), startProcess('two')]
  const id = await one.start('once', 5)
  await expect.poll(() => one.gates.length, soon).toBe(1)
  one.gates[0]?.()
  await expect.poll(() => statusOf(two.service, id), soon).toBe('done')
  expect(await two.service.task(ann, id)).toEqual(await one.service.task(ann, id))
  expect((await two.service.task(ann, id)).result).toBe('5 by one')
})

test('a resumable task of a dead process runs again in another one, others fail with the reason', async () => {
  const { startProcess, askToStop } = fixture()
  const one = startProcess('one')
  const [again, once, cancelled] = [await one.start('again', 3), await one.start('once'), await one.start('again')]
  await expect.poll(() => one.gates.length, soon).toBe(3)
  await one.die()
  await askToStop(cancelled)
  const two = startProcess('two')
  await expect.poll(() => statusOf(two.service, once), soon).toBe('failed')
  expect((await two.service.task(ann, once)).error).toEqual({
    code: 'ERR_UNAVAILABLE',
    message: 'The server process that ran the action has ended. Start it again.',
  })
  await expect.poll(() => statusOf(two.service, cancelled), soon).toBe('cancelled')
  await expect.poll(() => two.gates.length, soon).toBe(1)
  expect(await statusOf(two.service, again)).toBe('running')
  // The first process was only interrupted: what it does now must not count.
  one.cut(false)
  for (const open of one.gates) open()
  await expect.poll(async () => (await one.service.task(ann, again)).text, soon).toBe('in two')
  two.gates[0]?.()
  await expect.poll(() => statusOf(two.service, again), soon).toBe('done')
  expect((await two.service.task(ann, again)).result).toBe('3 by two')
  expect((await one.service.task(ann, again)).result).toBe('3 by two')
  expect(await statusOf(one.service, once)).toBe('failed')
})

test('a task of a dead process fails when its user is not active any more', async () => {
  const { startProcess, users } = fixture()
  const one = startProcess('one')
  const id = await one.start('again')
  await one.die()
  users.clear()
  const two = startProcess('two')
  await expect.poll(() => statusOf(two.service, id), soon).toBe('failed')
  expect((await two.service.task(ann, id)).error?.message).toContain('its user is not active')
})

test('close() leaves resumable tasks to other processes, which need not wait, and cancels the others', async () => {
  const { startProcess } = fixture()
  const one = startProcess('one')
  const [again, once] = [await one.start('again', 4), await one.start('once')]
  await expect.poll(() => one.gates.length, soon).toBe(2)
  await one.service.close()
  const two = startProcess('two')
  await expect.poll(() => two.gates.length, soon).toBe(1)
  expect(await statusOf(two.service, once)).toBe('cancelled')
  two.gates[0]?.()
  await expect.poll(() => statusOf(two.service, again), soon).toBe('done')
})

test('the end of a task is written later when the database is unreachable', async () => {
  const { startProcess } = fixture()
  const [one, two] = [startProcess('one'), startProcess('two')]
  const id = await one.start('once')
  await expect.poll(() => one.gates.length, soon).toBe(1)
  one.cut(true)
  one.gates[0]?.()
  await expect.poll(() => statusOf(one.service, id), soon).toBe('done')
  expect(await statusOf(two.service, id)).toBe('running')
  one.cut(false)
  await expect.poll(() => statusOf(two.service, id), soon).toBe('done')
})

test('an action is refused, and does not run, when its task cannot be written', async () => {
  const { startProcess } = fixture()
  const one = startProcess('one')
  await one.start('once')
  await expect.poll(() => one.gates.length, soon).toBe(1)
  one.cut(true)
  await expect(one.start('once')).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' })
  expect(one.service.openTasks()).toBe(1)
  one.cut(false)
})

test('a task of a dead process runs again when the database failed while it was taken over', async () => {
  const { startProcess, principalOf } = fixture()
  const one = startProcess('one')
  const [first, second] = [await one.start('again', 1), await one.start('again', 2)]
  await expect.poll(() => one.gates.length, soon).toBe(2)
  await one.die()
  principalOf.mockRejectedValueOnce(new StoreError('unavailable', 'The database cannot be reached.'))
  const two = startProcess('two')
  await expect.poll(() => two.gates.length, soon).toBe(2)
  for (const open of two.gates) open()
  for (const id of [first, second]) await expect.poll(() => statusOf(two.service, id), soon).toBe('done')
  expect(two.errors).toMatchObject([{ code: 'unavailable' }])
})

test('a run whose task was lost does not count, also when the same process runs it again', async () => {
  const { startProcess, takeAway } = fixture()
  const one = startProcess('one')
  const id = await one.start('deaf', 1)
  await expect.poll(() => one.gates.length, soon).toBe(1)
  await takeAway(id)
  await expect.poll(() => one.gates.length, soon).toBe(2)
  one.gates[0]?.()
  const two = startProcess('two')
  const other = await one.start('once')
  await two.service.cancelTask(ann, other)
  await expect.poll(() => statusOf(two.service, other), soon).toBe('cancelled')
  expect(await statusOf(two.service, id)).toBe('running')
  one.gates[1]?.()
  await expect.poll(() => statusOf(two.service, id), soon).toBe('done')
})

test('a process that was paused for too long leaves its tasks to others when it starts another one', async () => {
  const { startProcess } = fixture()
  const [one, two] = [startProcess('one', { everyMs: never }), startProcess('two')]
  const id = await one.start('once', 1)
  await expect.poll(() => one.gates.length, soon).toBe(1)
  const later = performance.now() + never + 1
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => later)
  cleanUps.push(async () => clock.mockRestore())
  await one.start('once', 2)
  expect(one.aborted).toEqual([1])
  expect(one.service.openTasks()).toBe(1)
  await expect.poll(() => statusOf(two.service, id), soon).toBe('failed')
})

test('a process whose database does not answer any more ends its tasks when others may have them', async () => {
  const { startProcess } = fixture()
  const one = startProcess('one', { leaseMs: 300 })
  await one.start('once', 1)
  await expect.poll(() => one.gates.length, soon).toBe(1)
  one.silence()
  await expect.poll(() => one.aborted, soon).toEqual([1])
})

test('what ended is kept, whatever the clock of another process says, but not for days', async () => {
  const { startProcess } = fixture()
  const [one, two] = [startProcess('one'), startProcess('two')]
  /** Its first look deletes what is too old. */
  const startAhead = async (hours: number) => {
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + hours * 3_600_000)
    const other = startProcess('ahead')
    const id = await other.start('once')
    await expect.poll(() => other.gates.length, soon).toBe(1)
    other.gates[0]?.()
    await expect.poll(() => statusOf(two.service, id), soon).toBe('done')
    vi.restoreAllMocks()
    return other.service
  }
  const id = await one.start('once')
  await expect.poll(() => one.gates.length, soon).toBe(1)
  one.gates[0]?.()
  await expect.poll(() => statusOf(two.service, id), soon).toBe('done')
  const ahead = await startAhead(2)
  expect(await statusOf(ahead, id)).toBe('done')
  await expect(statusOf(await startAhead(26), id)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
})

test('the first tasks of a process may start at the same time', async () => {
  const { startProcess } = fixture()
  const [one, two] = [startProcess('one'), startProcess('two')]
  const ids = await Promise.all([1, 2, 3].map((number) => one.start('once', number)))
  await expect.poll(() => one.gates.length, soon).toBe(3)
  for (const open of one.gates) open()
  for (const id of ids) await expect.poll(() => statusOf(two.service, id), soon).toBe('done')
})
