/** @module-tag mixed */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { operationActions } from '../actions/operations.js'
import { fullGrant, storedGrant } from '../domain/grant.js'
import type { Input } from '../domain/input.js'
import { identify, stateOf } from '../system/process-identity.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { scopedTo } from '../testing/scoped-to.js'
import { writeHook } from '../testing/write-hook.js'
import { findOperations } from './find-operations.js'
import type { FollowedEvent } from './follow-operation.js'
import type { RunRequest } from './run.js'
import { createRunFiles } from './run-files.js'
import { newRunId } from './run-id.js'

const never = new AbortController().signal

const everywhere = fullGrant.scope

describe('runs', () => {
  let test: TestManager
  let server: { close(): void }
  const files = () => createRunFiles(test.context.home.runs)
  const begin = (action: string, input: Readonly<Record<string, Input>>, caller = {}) =>
    test.manager.begin(action, input, { actor: 'alice', surface: 'api', grant: fullGrant, ...caller })
  const answer = (id: string) => test.context.runs.answer(id, never)
  const state = (id: string) => test.context.runs.find(id)?.state
  const removeHook = () => rmSync(join(test.context.home.hooks, 'pre-add.sh'))
  const eventsOf = async (id: string, after?: string) => {
    const events: FollowedEvent[] = []
    for await (const event of test.context.runs.follow(id, { signal: never, after })) events.push(event)
    return events
  }

  beforeAll(async () => {
    test = await createTestManager({ config: ['export APPS_WORKERS=2'] })
    server = test.context.runs.serve()
    await test.perform('add', { name: 'demo' })
    await test.perform('stop', { name: 'demo' })
  })
  afterAll(async () => {
    server?.close()
    await test?.close()
  })

  it('performs an action in a process of its own, and records the caller and its address in the history', async () => {
    const id = await begin('protect', { name: 'demo' }, { address: '192.0.2.1' })
    expect(await answer(id)).toMatchObject({ status: 0, operation: id })
    expect(test.instance('demo').protected).toBe(true)
    expect(test.context.registry.history().at(-1)).toMatchObject({
      actor: 'alice',
      surface: 'api',
      operation: id,
      address: '192.0.2.1',
    })
    expect(files().worker(id)?.pid).not.toBe(process.pid)
    expect(test.context.runs.find(id)).toMatchObject({
      ...{ id, action: 'protect', instance: 'demo', state: 'succeeded', actor: 'alice' },
      title: 'Protect instance "demo"',
      result: { status: 0 },
    })
  })

  it('shows what a worker answered that ends while it is looked at', async () => {
    const id = await begin('get', { name: 'demo' })
    const answered = await answer(id)
    const { worker, result, ...others } = files()
    let hasEnded = false
    const looked = <T>(before: T, after: T) => {
      const now = hasEnded ? after : before
      hasEnded = true
      return now
    }
    const found = findOperations({
      files: {
        ...others,
        worker: (one) => looked(identify(process.pid), worker(one)),
        result: (one) => looked(undefined, result(one)),
      },
      registry: () => test.context.registry,
      stepsOf: () => undefined,
      clock: () => new Date(),
    })
    expect(found.find(id)).toMatchObject({ state: 'succeeded', result: answered })
    expect(answered).toHaveProperty('item')
  })

  it('refuses bad input before anything is written down', async () => {
    const before = readdirSync(test.context.home.runs).length
    await expect(begin('start', { name: 'nobody' }, { instances: new Set(['other']) })).rejects.toThrow('nobody')
    await expect(begin('start', { name: 'nobody' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    await expect(begin('stop', { nam: 'demo' })).rejects.toThrow('stop takes no "nam"')
    await expect(begin('nothing', {})).rejects.toThrow('Unknown action "nothing"')
    expect(readdirSync(test.context.home.runs)).toHaveLength(before)
  })

  it('answers as the action fails', async () => {
    const id = await begin('setversion', { name: 'demo', version: '0.1' })
    expect(await answer(id)).toMatchObject({ status: 3, code: 'ERR_NOT_FOUND' })
    expect(state(id)).toBe('failed')
  })

  it('runs at most APPS_WORKERS at the same time; others wait their turn, and may be cancelled before it', async () => {
    writeHook(test.home, 'pre-start', 'while [ ! -e "$APPS_HOME/go" ]; do sleep 0.02; done')
    for (const name of ['one', 'two', 'three', 'four']) await test.perform('add', { name, 'no-start': true })
    const ids: string[] = []
    for (const name of ['one', 'two', 'three', 'four']) ids.push(await begin('start', { name }))
    await expect.poll(() => ids.map(state)).toEqual(['running', 'running', 'queued', 'queued'])
    await test.context.runs.cancel(ids[3]!, 'bob')
    expect(await answer(ids[3]!)).toMatchObject({ message: 'It was cancelled by bob before it started.' })
    writeFileSync(join(test.home, 'go'), '')
    for (const id of ids.slice(0, 3)) expect(await answer(id)).toMatchObject({ status: 0 })
    expect(test.instance('four').desired).toBe('stopped')
  })

  it('undoes what is cancelled while it runs', async () => {
    writeHook(test.home, 'pre-add', 'echo begun > "$APPS_HOME/begun"; sleep 60')
    const id = await begin('add', { name: 'gone' })
    await expect.poll(() => existsSync(join(test.home, 'begun'))).toBe(true)
    await test.context.runs.cancel(id, 'bob')
    expect(await answer(id)).toMatchObject({ code: 'ERR_ROLLED_BACK' })
    expect(state(id)).toBe('rolled_back')
    expect(test.context.registry.find('gone')).toBeUndefined()
    await expect(test.context.runs.cancel(id, 'bob')).rejects.toThrow('it has already ended')
    removeHook()
  })

  it('has a worker recover what a killed one left, and answers then', async () => {
    writeHook(test.home, 'pre-add', 'echo begun > "$APPS_HOME/killed"; sleep 60')
    const id = await begin('add', { name: 'killed' })
    await expect.poll(() => existsSync(join(test.home, 'killed'))).toBe(true)
    const worker = files().worker(id)!
    expect(stateOf(worker)).toBe('alive')
    process.kill(worker.pid, 'SIGKILL')
    const events = eventsOf(id)
    expect(await answer(id)).toMatchObject({ code: 'ERR_ROLLED_BACK' })
    expect((await events).at(-1)).toMatchObject({ type: 'result', data: { code: 'ERR_ROLLED_BACK' } })
    expect(test.context.registry.find('killed')).toBeUndefined()
    const [recovery] = await test.context.runs.list({ scope: everywhere, limit: 1 })
    expect(recovery).toMatchObject({ action: 'recover', actor: 'manager' })
    removeHook()
  })

  it('reports all that happens, from where it was interrupted', { tags: 'core' }, async () => {
    const id = await begin('save', { name: 'demo' })
    const all = await eventsOf(id)
    expect(all[0]).toMatchObject({ type: 'operation', data: { id, action: 'save' } })
    expect(all.at(-1)).toMatchObject({ id: 'end', type: 'result', data: { status: 0 } })
    const whole = await eventsOf(id, '0')
    expect(whole.map((event) => event.id)).toEqual([...whole.slice(0, -1).map((_, at) => String(at + 1)), 'end'])
    expect(whole[0]).toMatchObject({ type: 'event', data: { type: 'planned' } })
    expect(await eventsOf(id, '3')).toEqual(whole.slice(3))
    expect((await eventsOf(id, 'nonsense'))[0]).toMatchObject({ type: 'operation' })
    expect(await eventsOf('../../../etc')).toEqual([])
  })

  it('shows operations of the command line with all their steps', { tags: 'core' }, async () => {
    const { operation } = await test.perform('start', { name: 'demo' })
    const [item] = await test.context.runs.list({ scope: everywhere, instance: 'DEMO', limit: 1 })
    expect(item).toMatchObject({
      id: operation,
      surface: 'cli',
      actor: 'tester',
      state: 'succeeded',
      result: { status: 0 },
    })
    expect(item?.steps.map((step) => step.state)).toContain('done')
    expect(await test.context.runs.list({ scope: everywhere, state: 'attention' })).toEqual([])
    expect(await test.context.runs.list({ scope: everywhere, state: 'running' })).toEqual([])
    expect((await test.context.runs.list({ scope: everywhere, state: 'succeeded' })).map((one) => one.id)).toContain(
      operation,
    )
    expect(await test.context.runs.list({ scope: scopedTo('other').grant.scope })).toEqual([])
    await expect(test.context.runs.cancel(operation!, 'bob')).rejects.toThrow('already ended')
  })

  it('of several operations is none of them', { tags: 'core' }, async () => {
    await test.perform('autosave', { name: 'demo' })
    const id = await begin('saveall', {})
    expect(await answer(id)).toMatchObject({ status: 0, message: expect.stringMatching(/^1 backed up/) })
    const [run, save] = (await test.context.runs.list({ scope: everywhere, limit: 2 })).toSorted((a) =>
      a.id === id ? -1 : 1,
    )
    expect(run).toMatchObject({ id, action: 'saveall', instance: '', state: 'succeeded' })
    expect(save).toMatchObject({ action: 'save', instance: 'demo', actor: 'alice', surface: 'api' })
  })

  it('is shown only to users who may use the instance', async () => {
    const [item] = await test.context.runs.list({ scope: everywhere, instance: 'demo', limit: 1 })
    const scoped = scopedTo('other')
    for (const { name } of operationActions.slice(1))
      await expect(test.perform(name, { id: item!.id }, scoped)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    expect((await test.perform('operations', {}, scoped)).list).toEqual([])
  })

  it('starts what an earlier server left waiting, but not what is no longer expected', async () => {
    server.close()
    const ofEarlier = { action: 'unprotect', input: { name: 'demo' }, actor: 'alice', waitMs: 0 }
    const request = { ...ofEarlier, grant: storedGrant(fullGrant) }
    const rest = { instance: 'demo', instanceId: test.instance('demo').id }
    const leave = async (created: Date, more: Partial<RunRequest> = {}) => {
      const id = newRunId(created)
      await files().create({ ...request, ...rest, id, hasSecrets: false, created: created.toISOString(), ...more })
      return id
    }
    const other = spawn('sleep', ['3600'])
    onTestFinished(() => void other.kill())
    const [old, secret, queued, recent] = [
      await leave(new Date(Date.now() - 7_200_000)),
      await leave(new Date(), { hasSecrets: true }),
      await leave(new Date(), { hasSecrets: true, server: identify(other.pid!)! }),
      await leave(new Date()),
    ]
    server = test.another().context.runs.serve()
    expect(await answer(recent)).toMatchObject({ status: 0 })
    const stopped = { status: 1, message: 'The server stopped before the operation started.' }
    for (const id of [old, secret]) expect(await answer(id)).toMatchObject(stopped)
    // Another server of the home will start it, as long as it lives.
    expect(state(queued)).toBe('queued')
    other.kill()
    expect(await answer(queued)).toMatchObject(stopped)

    const id = newRunId(new Date())
    await test.perform('protect', { name: 'demo' })
    await files().create({ ...ofEarlier, ...rest, id, hasSecrets: false, created: new Date().toISOString() })
    server.close()
    server = test.another().context.runs.serve()
    expect(await answer(id)).toMatchObject({ status: 1, message: expect.stringContaining('Repeat the call.') })
    expect(test.instance('demo').protected).toBe(true)
    await test.perform('unprotect', { name: 'demo' })
  })

  it('removes what ended more than a week ago', async () => {
    server.close()
    const later = test.another({ clock: () => new Date(Date.now() + 8 * 24 * 3_600_000) })
    server = later.context.runs.serve()
    await expect.poll(() => readdirSync(test.context.home.runs)).toEqual([])
  })
})
