/** @module-tag mixed */
import { once } from 'node:events'
import { link, open } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { inheritedListeners } from './lib/inherited-listeners.js'
import { makeFolder, runCli, shopFiles, startApp } from './running-app-for-test.js'

/** Generous: for states that come by themselves on a machine that is busy. */
const soon = { timeout: 60_000 }

/** Starts an application that gets a Unix socket, of which this process keeps nothing. */
async function startWithSocket(...more: readonly string[]) {
  const { folder, remove } = await makeFolder({ ...shopFiles, 'app.yaml': 'name: shop\nversion: 1.0.0\n' })
  onTestFinished(remove)
  const path = join(folder, 'socket')
  const server = createServer().listen(`${path}.made`)
  await once(server, 'listening')
  const { fd } = (server as unknown as { readonly _handle: { readonly fd: number } })._handle
  // It is removed when this process closes it.
  await link(`${path}.made`, path)
  const app = await startApp([folder, ...more], { inherited: fd })
  onTestFinished(() => app.end().then(() => {}))
  server.close()
  return { app, path }
}

/** On a connection of its own. */
async function call(socketPath: string) {
  const sent = get({ socketPath, path: '/health.json', agent: false })
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const text = await answer.setEncoding('utf8').reduce((all: string, part: string) => all + part, '')
  return { status: answer.statusCode, health: JSON.parse(text) as { readonly process: { readonly pid: number } } }
}

test('inheritedListeners() are those for this process, once', { tags: 'core' }, () => {
  const environment: NodeJS.ProcessEnv = { LISTEN_PID: String(process.pid), LISTEN_FDS: '2', LISTEN_FDNAMES: 'a:b' }
  expect(inheritedListeners(environment)).toEqual([3, 4])
  expect(environment).toEqual({})
  expect(inheritedListeners(environment)).toEqual([])
  expect(inheritedListeners({ LISTEN_PID: String(process.pid + 1), LISTEN_FDS: '1' })).toEqual([])
})

test('an inherited socket is answered beside the port, until the application stops', { tags: 'core' }, async () => {
  const { app, path } = await startWithSocket()
  expect((await fetch(`${app.origin}/health.json`)).status).toBe(200)
  expect(await call(path)).toMatchObject({ status: 200, health: { process: { pid: app.process.pid } } })
  expect(await app.end()).toBe(0)
  await expect(call(path)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('workers share an inherited socket; when all of them are killed, the application ends to be started again', async () => {
  const { app, path } = await startWithSocket('--workers', '2')
  const pids = () => [...app.errors().matchAll(/takes requests \(pid (\d+)\)/g)].map(([, pid]) => Number(pid))
  await expect.poll(() => pids().length, soon).toBe(2)
  expect((await call(path)).status).toBe(200)
  process.kill(pids()[0] as number, 'SIGKILL')
  await expect.poll(() => pids().length, soon).toBe(3)
  expect((await call(path)).status).toBe(200)
  const ended = once(app.process, 'close')
  for (const pid of pids().slice(1)) process.kill(pid, 'SIGKILL')
  expect(await ended).toEqual([1, null])
})

test('a file that is not a socket is refused', { tags: 'core' }, async () => {
  const { folder, remove } = await makeFolder(shopFiles)
  onTestFinished(remove)
  const file = await open(join(folder, 'app.yaml'))
  onTestFinished(() => file.close())
  const { code, errors } = await runCli([folder], { inherited: file.fd })
  expect({ code, errors }).toEqual({
    code: 1,
    errors: expect.stringContaining('LISTEN_FDS names file 3, which is not a socket that listens.'),
  })
})
