import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { inheritedListeners } from '@steward/manager-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../../../manager-core/src/lib/testing/create-test-manager.js'
import { squat } from '../../../manager-core/src/lib/testing/squat.js'

const program = fileURLToPath(new URL('api/server-for-test.mjs', import.meta.url))

/** Listens as systemd does, accepts nothing itself, and runs servers one after the other. */
const holder = `
const { spawnSync } = require('node:child_process')
const server = require('node:net').createServer().listen(0, '127.0.0.1', () => {
  const { port } = server.address()
  console.log(port)
  const script = 'echo $$; LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=http exec "$@"'
  const [program, options, listen = '127.0.0.1:' + port] = process.argv.slice(1)
  for (;;)
    spawnSync('sh', ['-c', script, 'sh', process.execPath, program, options, listen], {
      stdio: ['ignore', 'inherit', 'inherit', server._handle.fd],
    })
})
`

let manager: TestManager
let supervisor: ChildProcess | undefined
let pid = 0
beforeAll(async () => {
  manager = await createTestManager({ refresh: false })
})
afterEach(() => {
  supervisor?.kill('SIGKILL')
  if (pid > 0) process.kill(pid, 'SIGKILL')
  supervisor = undefined
  pid = 0
})
afterAll(() => manager?.close())

function supervise(...listen: readonly string[]) {
  const options = JSON.stringify({ home: manager.home, defaultTemplate: manager.template })
  supervisor = spawn(process.execPath, ['-e', holder, program, options, ...listen], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines = createInterface({ input: supervisor.stdout as NonNullable<ChildProcess['stdout']> })
  const errors: string[] = []
  supervisor.stderr?.on('data', (data) => errors.push(String(data)))
  const left: string[] = []
  lines.on('line', (line) => left.push(line))
  const next = async () => {
    while (left.length === 0) await once(lines, 'line')
    return left.shift() as string
  }
  const begun = async () => {
    pid = Number(await next())
    return next()
  }
  return { next, begun, errors }
}

it('a server that systemd listens for keeps its port over a restart, and gives it to no child', async () => {
  const { next, begun } = supervise()
  const port = Number(await next())
  const url = `http://127.0.0.1:${port}`
  expect(await begun()).toBe(url)
  expect((await fetch(`${url}/ping`)).status).toBe(200)
  // Instances and operations are its children.
  expect(openToChildren(pid)).toEqual([])

  process.kill(pid, 'SIGKILL')
  // It waits for the next server.
  const waiting = fetch(`${url}/ping`)
  if (process.getuid?.() === 0) await expect(squat(port, 65_534)).rejects.toThrow('EADDRINUSE')
  expect(await begun()).toBe(url)
  expect((await waiting).status).toBe(200)
})

it('a socket of another port is not used', async () => {
  const { next, begun, errors } = supervise('127.0.0.1:0')
  const port = await next()
  const url = await begun()
  expect(url).not.toBe(`http://127.0.0.1:${port}`)
  expect((await fetch(`${url}/ping`)).status).toBe(200)
  expect(errors.join('')).toContain('is not used')
})

it('inheritedListeners() takes those of this process, once, and hides them from children', () => {
  const environment = { LISTEN_PID: String(process.pid), LISTEN_FDS: '2', LISTEN_FDNAMES: 'a:b', OTHER: 'x' }
  expect(inheritedListeners(environment)).toEqual([3, 4])
  expect(environment).toEqual({ OTHER: 'x' })
  expect(inheritedListeners(environment)).toEqual([])
  expect(inheritedListeners({ LISTEN_PID: '1', LISTEN_FDS: '1' })).toEqual([])
})

/** Sockets of a process that its children get, but for its standard streams. */
function openToChildren(of: number): readonly string[] {
  const closesOnExec = 0o2000000
  return readdirSync(`/proc/${of}/fd`)
    .filter((fd) => Number(fd) > 2 && readlinkSync(`/proc/${of}/fd/${fd}`).startsWith('socket:'))
    .filter((fd) => {
      const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/${of}/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0'
      return (Number.parseInt(flags, 8) & closesOnExec) === 0
    })
}
