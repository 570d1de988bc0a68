import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { statOf } from '../system/process-table.js'
import { askWorker, idleTime, type WorkerCall } from './foreign-worker.js'

/** No test is served by a worker of another one. */
let name = ''
let number = 0
beforeEach(() => {
  name = `test ${++number}`
  const { limitMs } = idleTime
  idleTime.limitMs = 600_000
  onTestFinished(() => void (idleTime.limitMs = limitMs))
})

const ask = (script: string, more: Partial<WorkerCall> = {}) =>
  askWorker({
    program: '/bin/sh',
    args: ['-c', script],
    subject: name,
    environment: { PATH: process.env['PATH'] },
    request: 'request',
    limitMs: 600_000,
    longest: 1_000,
    ...more,
  })

/** Answers a call with its id of process and the request. */
const answersOnce = 'read -r id request; echo "$id $$ $request"'
const always = `while :; do ${answersOnce} || exit; done`

/** Asks, and gives the process that answered. */
async function pidOf(script: string, more?: Partial<WorkerCall>): Promise<number> {
  const answer = await ask(script, more)
  if ('line' in answer) return Number(answer.line.split(' ')[0])
  throw new Error(JSON.stringify(answer))
}

async function expectGone(pid: number): Promise<void> {
  await expect.poll(() => statOf(pid)).toBeUndefined()
}

it('answers calls one after the other by one process, and those at the same time by one each', async () => {
  const first = await pidOf(always)
  expect(await ask(always, { request: 'äöü "x"' })).toEqual({ line: `${first} äöü "x"` })
  const both = await Promise.all([pidOf(always), pidOf(always)])
  expect(both[0]).toBe(first)
  expect(both[1]).not.toBe(first)
  expect(both).toContain(await pidOf(always))
  const [left] = both.filter((pid) => statOf(pid))
  await expectGone(both.find((pid) => pid !== left) as number)
  expect(await pidOf(always)).toBe(left)
})

it('shares no process between subjects, arguments or environments', async () => {
  const first = await pidOf(always)
  expect(await pidOf(always, { environment: { PATH: process.env['PATH'], OTHER: '1' } })).not.toBe(first)
  expect(await pidOf(always, { args: ['-c', always, 'another'] })).not.toBe(first)
  expect(await pidOf(always, { subject: 'another' })).not.toBe(first)
  expect(await pidOf(always)).toBe(first)
})

it('ends a process without calls after its time, and the one that has waited the longest when there are many', async () => {
  const pids = []
  for (const each of ['1', '2', '3', '4', '5']) pids.push(await pidOf(always, { subject: `${name} ${each}` }))
  const [first, ...others] = pids
  await expectGone(first as number)
  expect(others.filter((pid) => !statOf(pid))).toEqual([])
  idleTime.limitMs = 20
  await expectGone(await pidOf(always))
})

describe('a process that was', () => {
  it.each(['SIGKILL', 'SIGSTOP'] as const)('ended or stopped between two calls (%s) is replaced', async (signal) => {
    const first = await pidOf(always)
    process.kill(first, signal)
    if (signal === 'SIGSTOP') await expect.poll(() => statOf(first)?.state).toBe('T')
    expect(await pidOf(always)).not.toBe(first)
    await expectGone(first)
  })

  it('kept and ends with its next call is replaced for it, a new one is not', async () => {
    const first = await pidOf(answersOnce)
    // It ended after its answer, when or before it was asked again.
    expect(await pidOf(answersOnce)).not.toBe(first)
    const second = `${answersOnce}; read -r id request; exit 3`
    const kept = await pidOf(second)
    expect(await pidOf(second)).not.toBe(kept)
    const end = await ask('read -r id; echo why >&2; exit 3')
    expect(end).toEqual({ stdout: '', stderr: 'why\n', code: 3, signal: undefined })
    expect(await ask('read -r id; kill -BUS $$')).toMatchObject({ code: undefined, signal: 'SIGBUS' })
  })

  it('stopped during a call is ended in time, and does not answer the next one', async () => {
    const script = `read -r id request; case $request in stop) kill -STOP $$; esac; echo "$id $$"; ${always}`
    const end = await ask(script, { request: 'stop', limitMs: 50 })
    expect(end).toMatchObject({ ended: 'late', code: undefined, signal: 'SIGKILL' })
    expect(await pidOf(script)).toBeGreaterThan(0)
  })
})

describe('an answer', () => {
  it('that is longer than it may be ends its process', async () => {
    expect(await ask('read -r id; exec yes | tr -d "\\n"')).toMatchObject({ ended: 'long', code: undefined })
  })

  it('to another call is none', async () => {
    const script = `read -r id request; echo "x $$"; ${always}`
    expect(await ask(script)).toEqual({ line: '' })
    // Its process is out of step, so that another one gets the next call.
    expect(await ask(script)).toEqual({ line: '' })
  })

  it('with more after it, or without a call, ends its process', async () => {
    const more = `read -r id request; printf '%s %s\\nmore\\n' "$id" "$$"; ${always}`
    const first = await pidOf(more)
    await expectGone(first)
    expect(await pidOf(more)).not.toBe(first)
    const late = `${answersOnce}; sleep 0.01; echo late; ${always}`
    await expectGone(await pidOf(late))
  })
})

it('gives why a program could not be started', async () => {
  expect(await ask('', { program: '/nowhere/program' })).toMatchObject({ error: { code: 'ENOENT' } })
  expect(await ask('', { args: ['\0'] })).toMatchObject({ error: { code: 'ERR_INVALID_ARG_VALUE' } })
})

describe('a process ends with the one that asked it', () => {
  const script = `
    const { askWorker, idleTime } = await import(${JSON.stringify(new URL('foreign-worker.ts', import.meta.url))})
    idleTime.limitMs = 600_000
    const call = JSON.parse(process.argv[1])
    const { line } = await askWorker(call)
    console.log(line)`
  const start = (more: string, worker = always) => {
    const call = { program: '/bin/sh', args: ['-c', worker], environment: {}, subject: name, request: '' }
    const args = [
      ...['--import', new URL('../testing/typescript.mjs', import.meta.url).href, '--input-type=module'],
      '-e',
      script + more,
      JSON.stringify({ ...call, limitMs: 600_000, longest: 1_000 }),
    ]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }

  it('when that ends by itself, without being waited for', async () => {
    // It would not notice the end of its input.
    const asking = start('', `${answersOnce}; exec sleep 600`)
    const ended = once(asking, 'exit')
    const pid = Number(await text(asking.stdout))
    expect(await ended).toEqual([0, null])
    expect(pid).toBeGreaterThan(0)
    await expectGone(pid)
  })

  it('when that is killed, and another one has its own', async () => {
    const [one, other] = [start('; setInterval(() => {}, 1000)'), start('; setInterval(() => {}, 1000)')]
    const pids = await Promise.all([one, other].map(async ({ stdout }) => Number(String(await once(stdout, 'data')))))
    expect(pids[0]).not.toBe(pids[1])
    one.kill('SIGKILL')
    await expectGone(pids[0] as number)
    expect(statOf(pids[1] as number)).toBeDefined()
    other.kill('SIGKILL')
    await expectGone(pids[1] as number)
  })
})
