/** @module-tag mixed */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { basic, makeFolder, runCli, runHere, shopFiles, startApp } from './running-app-for-test.js'
import type { RunningApp } from './running-app-for-test.js'
import { connectionsEach, tooManyWorkers, workerCount } from './lib/workers/worker-count.js'

/** Generous: for states that come by themselves on a machine that is busy. */
const soon = { timeout: 60_000 }

const env = { STEWARD_ADMIN_PASSWORD: 's3cret-passw0rd' }
const headers = { ...basic('admin', 's3cret-passw0rd'), 'content-type': 'application/json' }
const files = {
  ...shopFiles,
  'app.yaml': 'name: shop\nversion: 1.0.0\nlog: { format: none }\n',
  'objects/gate.ts': `
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
const folder = join(import.meta.dirname, '..')
export const Gate = {
  name: 'Gate',
  fields: { gat_name: { type: 'string', key: true } },
  hooks: {
    async preCreate({ values }: { values: Record<string, string> }) {
      await writeFile(join(folder, values['gat_name'] + '.running'), '')
      while (!existsSync(join(folder, values['gat_name'] + '.go'))) await pause(20)
    },
  },
}
`,
}

interface Answer {
  readonly status: number
  readonly json: unknown
}

/** On a connection of its own, so that any worker may take it. */
function call(app: RunningApp, method: string, path: string, body?: object, more?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${app.origin}${path}`,
      { method, agent: false, headers: { ...headers, ...more } },
      (answer) => {
        let text = ''
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
        answer.on('error', reject)
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, json: JSON.parse(text) as unknown }))
      },
    )
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

interface Health {
  readonly process: { readonly pid: number }
  readonly workers?: { readonly configured: number; readonly running: number; readonly restarts: number }
}

const healthOf = async (app: RunningApp) => (await call(app, 'GET', '/health.json')).json as Health
const workersOf = async (app: RunningApp) => (await healthOf(app)).workers

/** The workers that took requests so far, oldest first. */
function startedPids(app: RunningApp): number[] {
  return [...app.errors().matchAll(/takes requests \(pid (\d+)\)/g)].map(([, pid]) => Number(pid))
}

async function startWorkers(count: number): Promise<RunningApp & { readonly folder: string }> {
  const { folder, remove } = await makeFolder(files)
  onTestFinished(remove)
  const app = await startApp([folder, '--workers', String(count)], { env })
  onTestFinished(() => app.end().then(() => {}))
  await expect.poll(() => workersOf(app), soon).toEqual({ configured: count, running: count, restarts: 0 })
  return { ...app, folder }
}

test('killed workers lose nothing that was acknowledged, and others answer meanwhile', async () => {
  const app = await startWorkers(3)
  expect((await healthOf(app)).process.pid).toBe(app.process.pid)
  expect(app.output()).toContain('3 workers serve. Rate limits, the object pool and wrong logins count per worker')
  let acknowledged = 0
  let cut = 0
  const create = async (code: string): Promise<void> => {
    for (;;) {
      try {
        const product = { prd_code: code, prd_name: code }
        const { status } = await call(app, 'POST', '/api/rest/Product', product, { 'Idempotency-Key': code })
        if (status === 200) {
          acknowledged++
          return
        }
        // The first request with the key may be running, or the file may be locked.
        expect([409, 503]).toContain(status)
      } catch (error) {
        // Only a connection that the killed worker had taken ends; none is refused.
        expect((error as NodeJS.ErrnoException).code).toMatch(/ECONNRESET|EPIPE/)
        cut++
      }
    }
  }
  const client = async (name: string) => {
    for (let number = 1; number <= 40; number++) await create(`${name}${number}`)
  }
  const clients = Promise.all(['a', 'b', 'c', 'd'].map(client))
  clients.catch(() => {})
  for (const kill of [1, 2, 3]) {
    await expect.poll(() => acknowledged, soon).toBeGreaterThan(kill * 30)
    process.kill(startedPids(app).at(-1) ?? 0, 'SIGKILL')
    await expect.poll(() => startedPids(app).length, soon).toBe(3 + kill)
  }
  await clients
  expect(acknowledged).toBe(160)
  // Each kill cuts at most what four clients had sent.
  expect(cut).toBeLessThanOrEqual(12)
  const { json } = await call(app, 'GET', '/api/rest/Product/?_count=true')
  expect(json).toMatchObject({ count: 160 })
  await expect.poll(() => workersOf(app), soon).toEqual({ configured: 3, running: 3, restarts: 3 })
})

test(
  'SIGHUP replaces all workers each time, SIGTERM stops them, and running requests are answered',
  { tags: 'core' },
  async () => {
    const app = await startWorkers(2)
    const before = startedPids(app)
    /** A request that is answered when the test says so; `isRunning` says that a worker has it. */
    const beginSlow = (name: string) => {
      const answered = call(app, 'POST', '/api/rest/Gate', { gat_name: name })
      answered.catch(() => {})
      return {
        isRunning: () => existsSync(join(app.folder, `${name}.running`)),
        finish: async () => {
          await writeFile(join(app.folder, `${name}.go`), '')
          return (await answered).status
        },
      }
    }
    const first = beginSlow('first')
    await expect.poll(first.isRunning, soon).toBe(true)
    app.process.kill('SIGHUP')
    await expect.poll(() => startedPids(app).length, soon).toBeGreaterThan(before.length)
    // The first new one may not have read what changed since.
    app.process.kill('SIGHUP')
    expect(await first.finish()).toBe(200)
    await expect.poll(() => app.errors().match(/All workers were replaced/g), soon).toHaveLength(2)
    const after = startedPids(app).slice(before.length)
    expect(new Set([...before, ...after]).size).toBe(6)
    await expect.poll(() => workersOf(app), soon).toEqual({ configured: 2, running: 2, restarts: 0 })
    const last = beginSlow('last')
    await expect.poll(last.isRunning, soon).toBe(true)
    const ended = app.end('SIGTERM')
    await expect.poll(() => app.errors(), soon).toContain('SIGTERM: finishing running requests')
    expect(await last.finish()).toBe(200)
    expect(await ended).toBe(0)
    for (const pid of [...before, ...after]) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  },
)

test('a first worker that does not start ends the server', async () => {
  const { folder, remove } = await makeFolder({ ...files, 'objects/product.yaml': 'name: Product\nfields: 5\n' })
  onTestFinished(remove)
  const { code, errors } = await runCli([folder, '--workers', '2'], { env })
  expect(code).toBe(1)
  expect(errors.match(/the application is not right/g)).toHaveLength(1)
})

test.each(['0', '-1', '1.5', 'many', '1001'])('--workers refuses %j, as STEWARD_WORKERS does', async (number) => {
  const text = `must be a whole number from 1 to 1000, or auto, not "${number}".`
  expect(await runHere([`--workers=${number}`])).toMatchObject({ code: 2, errors: expect.stringContaining(text) })
  const { code, errors } = await runHere(['.'], { env: { STEWARD_WORKERS: number } })
  expect([code, errors]).toEqual([1, `app-server: STEWARD_WORKERS ${text}\n`])
})

test('workers are refused for a database that lives in one process, and "workers: 0" in app.yaml', async () => {
  const { folder, remove } = await makeFolder(files)
  onTestFinished(remove)
  const inMemory = { env: { ...env, STEWARD_DATABASE: 'sqlite::memory:' } }
  expect(await runHere([folder, '--workers', '2'], inMemory)).toMatchObject({
    code: 1,
    errors: 'app-server: sqlite::memory: is a database of one process. Use a file, or leave out --workers.\n',
  })
  const wrong = await makeFolder({ ...files, 'app.yaml': 'name: shop\nversion: 1.0.0\nworkers: 0\n' })
  onTestFinished(wrong.remove)
  const { code, errors } = await runHere([wrong.folder], { env })
  expect([code, errors]).toEqual([1, expect.stringContaining('workers')])
})

test('workerCount() and connectionsEach() share what there is; tooManyWorkers() warns', () => {
  expect([workerCount('auto', 6), workerCount(3, 6)]).toEqual([6, 3])
  expect([1, 2, 4, 8].map(connectionsEach)).toEqual([10, 10, 5, 4])
  expect(tooManyWorkers(8, 2)).toBeUndefined()
  expect(tooManyWorkers(9, 2)).toContain('9 workers are started on 2 CPU cores.')
})
