import { describe, expect, test } from 'vitest'
import { DefinitionError, RestError } from '../../errors.js'
import type { ActionContext, ActionDefinition } from '../actions/action.js'
import { defineObject } from '../definition/define-object.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { createRights } from '../rights/create-rights.js'
import type { GrantData } from '../rights/create-rights.js'
import { createPrincipal, systemPrincipal } from '../rights/principal.js'
import type { BusinessObjects, Task } from './business-objects.js'
import { createBusinessObjects } from './create-business-objects.js'
import type { BusinessObjectsOptions } from './create-business-objects.js'
import type { ObjectHooks } from './hooks.js'

const fields = {
  job_name: { type: 'string', length: 20, key: true },
  job_count: { type: 'integer' },
  job_note: { type: 'string', hidden: true },
} as const

function setUp(
  actions: Record<string, ActionDefinition>,
  { hooks = {}, ...options }: Partial<BusinessObjectsOptions> & { hooks?: ObjectHooks } = {},
) {
  const model = createModel([defineObject({ name: 'Job', fields, actions, hooks })])
  const errors: unknown[] = []
  const store = createMemoryStore()
  const service = createBusinessObjects({ model, store, onError: (error) => errors.push(error), ...options })
  const user = (login: string, ...grants: GrantData[]) =>
    createPrincipal({ login, groups: [login], rights: createRights(model, grants, { LOGIN: login }) })
  return { service, errors, user }
}

const boss = systemPrincipal({ login: 'boss' })
const add = async (service: BusinessObjects, ...names: string[]) => {
  const ids: string[] = []
  for (const job_name of names) ids.push((await service.create(boss, 'Job', { job_name, job_count: 1 })).row_id)
  return ids
}
const refusal = async (call: Promise<unknown>): Promise<RestError> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!RestError.is(error)) throw new Error(`not refused by a RestError: ${String(error)}`)
  return error
}

describe('definitions', () => {
  test('every mistake of an action is reported with its place', () => {
    const run = () => null
    const mistakes = () =>
      createModel([
        defineObject({
          name: 'Job',
          fields,
          actions: {
            '1st': { run },
            late: { run: 5 as never },
            odd: { run, parameters: { kind: { type: 'enum', values: [] }, what: { type: 'nothing' as never } } },
            second: {
              run,
              scope: 'all' as never,
              parameters: {
                a__b: { type: 'string' },
                ref: { type: 'reference', object: 'Job' } as never,
                size: { type: 'integer', default: 'big' },
              },
            },
          },
        }),
      ])
    expect(mistakes).toThrow(DefinitionError)
    try {
      mistakes()
    } catch (error) {
      expect((error as DefinitionError).messages).toEqual([
        'Job.actions.late.run: must be a function',
        'Job.actions.odd.parameters.kind.values: must not be empty',
        expect.stringMatching(/^Job\.actions\.odd\.parameters\.what\.type: must be one of .*, not "nothing"/),
        'Job.actions.1st: a name has letters, digits, "_" and "-", starts with a letter and has at most 63 characters',
        'Job.actions.second: scope is "all"; it must be one of record, global, both',
        'Job.actions.second.parameters.a__b: "__" in a name is kept for joined fields',
        'Job.actions.second.parameters.ref: a parameter cannot be of type "reference"',
        expect.stringMatching(/^Job\.actions\.second\.parameters\.size\.default: must be a whole number/),
      ])
    }
  })
})

describe('parameters', () => {
  const parameters = {
    stars: { type: 'integer', min: 1, max: 5, required: true },
    kind: { type: 'enum', values: ['a', { code: 'old', enabled: false }] },
    tags: { type: 'multi-enum', values: ['x', 'y'] },
    day: { type: 'date', default: '[DATE]' },
    by: { type: 'string', length: 5, default: '[LOGIN]' },
    loud: { type: 'boolean' },
    data: { type: 'object' },
  } as const
  const { service } = setUp(
    { echo: { scope: 'global', parameters, run: (context) => context.parameters } },
    { clock: () => new Date('2026-05-06T12:00:00Z') },
  )

  test('they are read by their types; what is not given is its default or empty', async () => {
    expect(await service.action(boss, 'Job', 'echo', { parameters: { stars: '3', tags: 'y;x', loud: '1' } })).toEqual({
      result: { stars: 3, kind: '', tags: ['x', 'y'], day: '2026-05-06', by: 'boss', loud: true, data: null },
    })
    expect(
      await service.action(boss, 'Job', 'echo', { parameters: { stars: 1, by: '', day: null, data: { a: [1] } } }),
    ).toMatchObject({ result: { by: '', day: '', data: { a: [1] } } })
  })

  test('all mistakes are reported at once', async () => {
    const { status, messages } = await refusal(
      service.action(boss, 'Job', 'echo', {
        parameters: { kind: 'old', tags: ['z'], day: '2026-02-30', by: 'too long', nope: 1, constructor: 2 },
      }),
    )
    expect(status).toBe(400)
    expect(messages.map(({ code, field }) => `${code} ${field}`)).toEqual([
      'ERR_UNKNOWN_FIELD nope',
      'ERR_UNKNOWN_FIELD constructor',
      'ERR_REQUIRED stars',
      'ERR_ENUM kind',
      'ERR_ENUM tags',
      'ERR_TYPE day',
      'ERR_LENGTH by',
    ])
  })
})

describe('what an action may return', () => {
  test.each([
    ['done', 'done'],
    [undefined, null],
    [
      { a: 1, b: undefined, c: [true, null] },
      { a: 1, c: [true, null] },
    ],
  ])('%j', async (returned, result) => {
    const { service } = setUp({ it: { scope: 'global', run: () => returned } })
    expect(await service.action(boss, 'Job', 'it')).toEqual({ result })
  })

  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  test.each([
    ['a Date', { when: [new Date()] }, 'result.when[0] is a Date'],
    ['a function', () => 1, 'result is a function'],
    ['not a number', { n: Number.NaN }, 'result.n is NaN'],
    ['a big integer', 5n, 'result is a bigint'],
    ['a cycle', cycle, 'or contains itself'],
  ])('%s is an error of the server that says so', async (_, returned, text) => {
    const { service } = setUp({ it: { scope: 'global', run: () => returned } })
    const { code, message } = await refusal(service.action(boss, 'Job', 'it'))
    expect(code).toBe('ERR_INTERNAL')
    expect(message).toContain('must return a text or a JSON value')
    expect(message).toContain(text)
  })
})

describe('rights', () => {
  const actions = {
    one: { run: ({ record }: ActionContext) => record?.['job_name'] },
    all: {
      scope: 'global',
      async run({ records }: ActionContext) {
        const names: unknown[] = []
        for await (const batch of await records()) names.push(...batch.map(({ job_name }) => job_name))
        return names
      },
    },
    closed: { scope: 'both', groups: ['ADMIN'], run: () => 'in' },
  } as const

  test('the letter A is needed, and a grant may leave actions out', async () => {
    const { service, user } = setUp(actions)
    const [id = ''] = await add(service, 'a')
    const reader = user('reader', { object: 'Job', letters: 'R' })
    expect((await refusal(service.action(reader, 'Job', 'all'))).code).toBe('ERR_RIGHT')
    expect((await refusal(service.action(reader, 'Job', 'nope'))).code).toBe('ERR_RIGHT')
    const one = user('one', { object: 'Job', letters: 'RA', actions: ['one'] })
    expect(await service.action(one, 'Job', 'one', { rowId: id })).toEqual({ result: 'a' })
    expect((await refusal(service.action(one, 'Job', 'all'))).code).toBe('ERR_RIGHT')
    expect((await refusal(service.action(one, 'Job', 'nope'))).code).toBe('ERR_NOT_FOUND')
    const anyone = user('x', { object: 'Job', letters: 'RA' })
    expect((await refusal(service.action(anyone, 'Job', 'closed'))).code).toBe('ERR_RIGHT')
    expect(await service.action(user('ADMIN', { object: 'Job', letters: 'A' }), 'Job', 'closed')).toEqual({
      result: 'in',
    })
  })

  test('a record must be readable, and covered by the row filter of A', async () => {
    const { service, user } = setUp(actions)
    const [a = '', b = '', c = ''] = await add(service, 'a', 'b', 'c')
    const some = user(
      'some',
      { object: 'Job', letters: 'R', filter: "job_name <> 'c'" },
      { object: 'Job', letters: 'A', filter: "job_name <> 'b'" },
    )
    expect(await service.action(some, 'Job', 'one', { rowId: a })).toEqual({ result: 'a' })
    expect((await refusal(service.action(some, 'Job', 'one', { rowId: b }))).code).toBe('ERR_RIGHT')
    expect((await refusal(service.action(some, 'Job', 'one', { rowId: c }))).code).toBe('ERR_NOT_FOUND')
    expect((await refusal(service.action(some, 'Job', 'one', { rowId: '999' }))).code).toBe('ERR_NOT_FOUND')
    expect(await service.action(some, 'Job', 'all')).toEqual({ result: ['a'] })
    const blind = user('blind', { object: 'Job', letters: 'A' })
    expect((await refusal(service.action(blind, 'Job', 'one', { rowId: a }))).code).toBe('ERR_RIGHT')
    expect((await refusal(service.action(blind, 'Job', 'all'))).code).toBe('ERR_RIGHT')
  })

  test('records() works with a row filter on a field that the user does not see', async () => {
    const { service, user } = setUp(actions)
    await add(service, 'a', 'b')
    const some = user('some', { object: 'Job', letters: 'RA', filter: 'job_count = 1', hidden: ['job_count'] })
    expect(await service.action(some, 'Job', 'all')).toEqual({ result: ['a', 'b'] })
    const search = { filters: { job_count: '1' } }
    expect((await refusal(service.action(some, 'Job', 'all', { search }))).messages).toMatchObject([
      { code: 'ERR_UNKNOWN_FIELD', field: 'job_count' },
    ])
  })

  test('isActionEnable may only restrict', async () => {
    const asked: unknown[] = []
    const hooks: ObjectHooks = {
      isActionEnable({ action, record }) {
        asked.push([action, record?.['job_name']])
        return record?.['job_name'] !== 'b'
      },
    }
    const { service, user } = setUp(actions, { hooks })
    const [a = '', b = ''] = await add(service, 'a', 'b')
    expect(await service.action(boss, 'Job', 'one', { rowId: a })).toEqual({ result: 'a' })
    expect((await refusal(service.action(boss, 'Job', 'one', { rowId: b }))).code).toBe('ERR_RIGHT')
    const reader = user('reader', { object: 'Job', letters: 'R' })
    expect((await refusal(service.action(reader, 'Job', 'one', { rowId: a }))).code).toBe('ERR_RIGHT')
    expect(asked).toEqual([
      ['one', 'a'],
      ['one', 'b'],
    ])
  })

  test('a call of the wrong scope says what is meant', async () => {
    const { service } = setUp(actions)
    const [id = ''] = await add(service, 'a')
    expect((await refusal(service.action(boss, 'Job', 'one'))).message).toContain('/Job/<row_id>')
    expect((await refusal(service.action(boss, 'Job', 'all', { rowId: id }))).message).toContain('as a whole')
    expect(await service.action(boss, 'Job', 'closed', { rowId: id })).toEqual({ result: 'in' })
  })
})

describe('transactions', () => {
  test('what an action writes is one transaction, also while it reads its records', async () => {
    const { service } = setUp({
      count: {
        scope: 'global',
        async run({ service: inside, principal, records }) {
          for await (const batch of await records())
            for (const { row_id: id, job_count } of batch)
              await inside.update(principal, 'Job', id, { job_count: (job_count as number) + 1 })
          const { count } = await inside.count(principal, 'Job', { filters: { job_count: '2' } })
          if (count === 3) throw new Error('secret detail')
          return count
        },
      },
    })
    await add(service, 'a', 'b')
    const search = { filters: { job_name: 'a' } }
    expect(await service.action(boss, 'Job', 'count', { search })).toEqual({ result: 1 })
    await add(service, 'c', 'd')
    const only = { filters: { job_name: ['b', 'c'] } }
    const error = await refusal(service.action(boss, 'Job', 'count', { search: only }))
    expect([error.code, error.cause]).toEqual(['ERR_INTERNAL', new Error('secret detail')])
    expect((await service.count(boss, 'Job', { filters: { job_count: '2' } })).count).toBe(1)
  })

  test('what it throws as RestError is the answer', async () => {
    const { service } = setUp({
      no: {
        scope: 'global',
        run() {
          throw new RestError('ERR_CONFLICT', 'Not now.')
        },
      },
    })
    expect(await refusal(service.action(boss, 'Job', 'no'))).toMatchObject({
      code: 'ERR_CONFLICT',
      message: 'Not now.',
    })
  })

  test('a direct action is aborted when the service closes', async () => {
    let started = (): void => {}
    const running = new Promise<void>((resolve) => (started = resolve))
    const { service } = setUp({
      wait: {
        scope: 'global',
        run({ signal }) {
          started()
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
        },
      },
    })
    const call = refusal(service.action(boss, 'Job', 'wait'))
    await running
    await service.close()
    expect((await call).code).toBe('ERR_UNAVAILABLE')
    expect((await refusal(service.action(boss, 'Job', 'wait'))).code).toBe('ERR_UNAVAILABLE')
  })
})

describe('background actions', () => {
  /** Actions that stop until the test lets them continue. */
  function gates() {
    const open = new Map<string, () => void>()
    const gate: ActionDefinition = {
      scope: 'both',
      background: true,
      parameters: { name: { type: 'string', default: 'gate' } },
      async run({ parameters, signal, progress, record }) {
        progress(1, 4, 'at the gate')
        await new Promise<void>((resolve, reject) => {
          open.set(parameters['name'] as string, resolve)
          signal.addEventListener('abort', () => reject(signal.reason as Error))
        })
        progress(4, 4)
        return { passed: parameters['name'], record: record?.['job_name'] ?? null }
      },
    }
    return { gate, open }
  }
  const taskOf = (answer: unknown) => (answer as { task: Task }).task
  const until = async (read: () => Promise<Task>, status: string) => {
    await expect.poll(async () => (await read()).status).toBe(status)
    return read()
  }

  test('it keeps running as a task that reports its progress and its result', async () => {
    const { gate, open } = gates()
    const { service } = setUp({ gate }, { clock: () => new Date('2026-05-06T12:00:00Z') })
    const [rowId = ''] = await add(service, 'a')
    const task = taskOf(await service.action(boss, 'Job', 'gate', { rowId }))
    expect(task).toMatchObject({ object: 'Job', action: 'gate', status: 'running', ended: '' })
    const read = () => service.task(boss, task.id)
    await expect.poll(() => open.size).toBe(1)
    expect(await read()).toMatchObject({ done: 1, total: 4, text: 'at the gate', started: '2026-05-06 12:00:00' })
    open.get('gate')?.()
    const done = await until(read, 'done')
    expect(done).toMatchObject({ done: 4, result: { passed: 'gate', record: 'a' }, ended: '2026-05-06 12:00:00' })
    expect(await service.cancelTask(boss, task.id)).toEqual(done)
  })

  test('what can be refused is refused before it starts', async () => {
    const { gate } = gates()
    const { service, user } = setUp({ gate }, { hooks: { isActionEnable: ({ record }) => record !== undefined } })
    const reader = user('reader', { object: 'Job', letters: 'R' })
    expect((await refusal(service.action(reader, 'Job', 'gate'))).code).toBe('ERR_RIGHT')
    expect((await refusal(service.action(boss, 'Job', 'gate'))).code).toBe('ERR_RIGHT')
    expect((await refusal(service.action(boss, 'Job', 'gate', { rowId: '9' }))).code).toBe('ERR_NOT_FOUND')
    expect((await refusal(service.action(boss, 'Job', 'gate', { parameters: { x: 1 } }))).status).toBe(400)
  })

  test('every write is a transaction of its own, and a failure is reported without details', async () => {
    const { service, errors } = setUp({
      half: {
        scope: 'global',
        background: true,
        async run({ service: inside, principal }) {
          await inside.create(principal, 'Job', { job_name: 'kept' })
          throw new Error('secret detail')
        },
      },
      twice: {
        scope: 'global',
        background: true,
        async run({ service: inside, principal }) {
          await inside.create(principal, 'Job', { job_name: 'kept' })
        },
      },
    })
    const half = taskOf(await service.action(boss, 'Job', 'half'))
    const failed = await until(() => service.task(boss, half.id), 'failed')
    expect(failed.error).toEqual({ code: 'ERR_INTERNAL', message: 'Action "half" failed inside the server.' })
    expect((errors[0] as RestError).cause).toEqual(new Error('secret detail'))
    const twice = taskOf(await service.action(boss, 'Job', 'twice'))
    expect((await until(() => service.task(boss, twice.id), 'failed')).error).toEqual({
      code: 'ERR_CONFLICT',
      message: 'Another record already has job_name "kept".',
    })
    expect(errors).toHaveLength(1)
  })

  test('others do not see it, those who may do everything do', async () => {
    const { gate } = gates()
    const { service, user } = setUp({ gate })
    const ann = user('ann', { object: 'Job', letters: 'RA' })
    const bob = user('bob', { object: 'Job', letters: 'CRUDA' })
    const { id } = taskOf(await service.action(ann, 'Job', 'gate'))
    expect((await service.task(ann, id)).id).toBe(id)
    expect((await service.task(boss, id)).id).toBe(id)
    await expect(service.task(bob, id)).rejects.toThrow(`Task "${id}" does not exist, or you may not see it.`)
    await expect(service.cancelTask(bob, id)).rejects.toThrow('does not exist')
    await expect(service.task(ann, 'nope')).rejects.toThrow('Task "nope" does not exist')
    await service.close()
  })

  test('one that is cancelled before its code starts does not start', async () => {
    const { gate, open } = gates()
    const second = Promise.withResolvers<void>()
    let asked = 0
    const isActionEnable = async () => {
      asked += 1
      if (asked === 2) await second.promise
      return true
    }
    const { service } = setUp({ gate }, { hooks: { isActionEnable } })
    const { id } = taskOf(await service.action(boss, 'Job', 'gate'))
    await expect.poll(() => asked).toBe(2)
    await service.cancelTask(boss, id)
    second.resolve()
    await until(() => service.task(boss, id), 'cancelled')
    expect(open.size).toBe(0)
  })

  test('that many run at once, others wait; a waiting one is cancelled at once, a running one by its signal', async () => {
    const { gate, open } = gates()
    const { service } = setUp({ gate }, { tasks: { maxRunning: 3 } })
    const start = async (name: string) => taskOf(await service.action(boss, 'Job', 'gate', { parameters: { name } })).id
    const [one, two, three, four] = [await start('1'), await start('2'), await start('3'), await start('4')]
    await expect.poll(() => open.size).toBe(2)
    expect(await service.task(boss, three)).toMatchObject({ status: 'running', started: '' })
    expect(await service.cancelTask(boss, three)).toMatchObject({ status: 'cancelled' })
    await service.cancelTask(boss, one)
    await until(() => service.task(boss, one), 'cancelled')
    await expect.poll(() => [...open.keys()]).toEqual(['1', '2', '4'])
    open.get('2')?.()
    open.get('4')?.()
    await until(() => service.task(boss, two), 'done')
    expect((await until(() => service.task(boss, four), 'done')).result).toMatchObject({ passed: '4' })
  })

  test('ended ones are forgotten after a while, and the oldest when there are many', async () => {
    let now = Date.parse('2026-05-06T12:00:00Z')
    const { service } = setUp(
      { quick: { scope: 'global', background: true, run: () => 'done' } },
      { tasks: { maxKept: 3, keepMs: 1000 }, clock: () => new Date(now) },
    )
    const ids: string[] = []
    for (let n = 0; n < 4; n++) {
      const { id } = taskOf(await service.action(boss, 'Job', 'quick'))
      ids.push(id)
      await until(() => service.task(boss, id), 'done')
    }
    await expect(service.task(boss, ids[0] as string)).rejects.toThrow('does not exist')
    expect((await service.task(boss, ids[1] as string)).status).toBe('done')
    now += 1001
    await expect(service.task(boss, ids[3] as string)).rejects.toThrow('does not exist')
  })

  test('too many that have not ended are refused', async () => {
    const { gate } = gates()
    const { service } = setUp({ gate }, { tasks: { maxKept: 2 } })
    await service.action(boss, 'Job', 'gate')
    await service.action(boss, 'Job', 'gate')
    expect((await refusal(service.action(boss, 'Job', 'gate'))).status).toBe(429)
    await service.close()
  })

  test('close() aborts them, waits a moment for those that do not listen, and takes no more', async () => {
    const { gate, open } = gates()
    const { service } = setUp(
      { gate, deaf: { scope: 'global', background: true, run: () => new Promise(() => {}) } },
      { tasks: { maxRunning: 3, graceMs: 20 } },
    )
    const ids: string[] = []
    for (const name of ['gate', 'deaf', 'gate']) ids.push(taskOf(await service.action(boss, 'Job', name)).id)
    await expect.poll(() => open.size).toBe(1)
    await service.close()
    await service.close()
    const statuses = (await Promise.all(ids.map((id) => service.task(boss, id)))).map(({ status }) => status)
    expect(statuses).toEqual(['cancelled', 'running', 'cancelled'])
    expect((await refusal(service.action(boss, 'Job', 'gate'))).status).toBe(503)
  })

  test('one user has a share of what waits and runs, and users take turns', async () => {
    const { gate, open } = gates()
    const { service, user } = setUp({ gate }, { tasks: { maxRunning: 2, maxPerUser: 3 } })
    const [ann, bob] = [boss, user('bob', { object: 'Job', letters: 'RA' })]
    const start = (who: typeof boss, name: string) => service.action(who, 'Job', 'gate', { parameters: { name } })
    for (const name of ['a1', 'a2', 'a3']) await start(ann, name)
    const refused = await refusal(start(ann, 'a4'))
    expect([refused.status, refused.message]).toEqual([429, expect.stringContaining('3 of your background actions')])
    for (const name of ['b1', 'b2']) await start(bob, name)
    const opened = () => [...open.keys()]
    await expect.poll(opened).toEqual(['a1', 'b1'])
    open.get('a1')?.()
    await expect.poll(opened).toEqual(['a1', 'b1', 'a2'])
    await start(ann, 'a4')
    open.get('a2')?.()
    await expect.poll(opened).toEqual(['a1', 'b1', 'a2', 'a3'])
    open.get('b1')?.()
    await expect.poll(opened).toEqual(['a1', 'b1', 'a2', 'a3', 'b2'])
    await service.close()
  })

  test('inside a transaction it runs at once, as part of it', async () => {
    const { service } = setUp({
      make: {
        scope: 'global',
        background: true,
        async run({ service: inside, principal }) {
          return (await inside.create(principal, 'Job', { job_name: 'x' })).row_id
        },
      },
    })
    const undone = service.transaction(async (inside) => {
      expect(await inside.action(boss, 'Job', 'make')).toEqual({ result: expect.any(String) })
      throw new RestError('ERR_CONFLICT', 'No.')
    })
    expect((await refusal(undone)).message).toBe('No.')
    expect((await service.count(boss, 'Job')).count).toBe(0)
  })
})

describe('users of background actions', () => {
  function waiting() {
    const started: string[] = []
    const gates: (() => void)[] = []
    const stay: ActionDefinition = {
      scope: 'global',
      background: true,
      run: ({ principal, signal }) => {
        started.push(principal.firstname)
        return new Promise((resolve, reject) => {
          gates.push(() => resolve('done'))
          signal.addEventListener('abort', () => reject(signal.reason as Error))
        })
      },
    }
    const users = new Map<string, ReturnType<typeof createPrincipal>>()
    const options = { tasks: { maxRunning: 2, lookMs: 5, principalOf: async (id: string) => users.get(id) } }
    const { service, user } = setUp({ stay }, options)
    const ann = (firstname: string, ...grants: GrantData[]) => ({ ...user('ann', ...grants), userId: '7', firstname })
    const before = ann('before', { object: 'Job', letters: 'A' })
    users.set('7', before)
    const start = async () => ((await service.action(before, 'Job', 'stay')) as { task: Task }).task.id
    const task = (id: string) => service.task(boss, id)
    return { service, started, gates, users, ann, start, task }
  }

  test('a waiting action starts with the rights that its user has when its turn comes', async () => {
    const { service, started, gates, users, ann, start, task } = waiting()
    const [, second, third] = [await start(), await start(), await start()]
    users.set('7', ann('after', { object: 'Job', letters: 'A' }))
    gates[0]?.()
    await expect.poll(() => started).toEqual(['before', 'after'])
    users.set('7', ann('later', { object: 'Job', letters: 'R' }))
    gates[1]?.()
    await expect.poll(async () => (await task(third)).status).toBe('failed')
    expect(await task(third)).toMatchObject({ error: { code: 'ERR_RIGHT' } })
    expect((await task(second)).status).toBe('done')
    await service.close()
  })

  test('actions of a user who is switched off end, and those that wait do not start', async () => {
    const { service, started, users, start, task } = waiting()
    const [first, second] = [await start(), await start()]
    users.delete('7')
    await expect.poll(async () => (await task(first)).status).toBe('cancelled')
    await expect.poll(async () => (await task(second)).status).toBe('failed')
    expect(await task(second)).toMatchObject({
      error: { message: expect.stringContaining('no longer active') as string },
    })
    expect(started).toEqual(['before'])
    await service.close()
  })
})
