import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { linkSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import { createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { takeTestPort } from '../../testing/take-ports.js'

const program = fileURLToPath(new URL('../../../../dist/swarm-relay.worker.js', import.meta.url))

async function listen(server: Server, at: { readonly port: number } | { readonly path: string }): Promise<Server> {
  server.listen({ host: '127.0.0.1', ...at })
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

/** An engine whose swarm has one node, this machine, and one task, which serves at this port. */
const engineOf = (port: number) =>
  createServer(({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://engine')
    const nodes = [{ ID: 'n1', Status: { State: 'ready', Addr: '127.0.0.1' } }]
    const Status = { State: 'running', PortStatus: { Ports: [{ PublishedPort: port }] } }
    const tasks = [{ ID: 't1', NodeID: 'n1', DesiredState: 'running', Spec: {}, Status }]
    const answer = { nodes, tasks }[pathname.split('/').at(-1) as 'nodes' | 'tasks']
    response.writeHead(answer ? 200 : 404).end(JSON.stringify(answer ?? { message: 'not found' }))
  })

it('the relay starts a service again that nodes could not start, and no other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-relay-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const updates: { readonly version: string | null; readonly ForceUpdate: number }[] = []
  let asked = 0
  let error = 'task: non-zero exit (1)'
  const engine = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://engine')
    if (request.method === 'POST') {
      void text(request).then((body) => {
        const { TaskTemplate } = JSON.parse(body) as { TaskTemplate: { ForceUpdate: number } }
        updates.push({ version: searchParams.get('version'), ForceUpdate: TaskTemplate.ForceUpdate })
        response.end('{}')
      })
      return
    }
    const Spec = { Mode: { Replicated: { Replicas: 1 } }, TaskTemplate: { ForceUpdate: 3 } }
    const Status = { State: 'failed', Timestamp: '2026-01-01T00:00:00Z', Err: error }
    const answers: Readonly<Record<string, unknown>> = {
      nodes: [{ ID: 'n1', Status: { State: 'ready', Addr: '127.0.0.1' } }],
      tasks: [{ ID: 't1', NodeID: 'n1', DesiredState: 'shutdown', Spec: { ForceUpdate: 3 }, Status }],
      service: { ID: 's1', Version: { Index: 7 }, Spec },
    }
    const name = pathname.split('/').at(-1) ?? ''
    if (name === 'tasks') asked++
    const answer = answers[name]
    response.writeHead(answer ? 200 : 404).end(JSON.stringify(answer ?? { message: 'not found' }))
  })
  await listen(engine, { path: join(folder, 'engine') })
  const args = [join(folder, 'engine'), 'service', String(await takeTestPort()), join(folder, 'position'), '0.02']
  const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit' })
  onTestFinished(() => void child.kill('SIGKILL'))
  // An application that ends again and again is given up.
  await expect.poll(() => asked).toBeGreaterThan(3)
  expect(updates).toEqual([])
  error = 'starting container failed: mkdir /var/lib/docker/…: no space left on device'
  await expect.poll(() => updates[0]).toEqual({ version: '7', ForceUpdate: 4 })
})

const taskOf = (name: string) => createServer((_request, response) => response.end(name))

it('the relay answers at its port and its socket, and waits for a task that refuses connections', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-relay-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const at = (name: string) => join(folder, name)
  const [port, published] = [await takeTestPort(), await takeTestPort()]
  await listen(engineOf(published), { path: at('engine') })
  const first = await listen(taskOf('first'), { port: published })
  const socket = createSocketServer().listen(at('made'))
  await once(socket, 'listening')
  // Node removes the path that it made when it closes the socket.
  linkSync(at('made'), at('socket'))
  const { fd } = (socket as unknown as { readonly _handle: { readonly fd: number } })._handle
  const relay = [process.execPath, program, at('engine'), 'service', String(port), at('position')]
  const child = spawn('/bin/sh', ['-c', 'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@"', 'sh', ...relay], {
    stdio: ['ignore', 'inherit', 'inherit', fd],
  })
  onTestFinished(() => void child.kill('SIGKILL'))

  const ask = async (options: { readonly port: number } | { readonly socketPath: string }) => {
    const [answer] = (await once(get({ ...options, agent: false }), 'response')) as [IncomingMessage]
    return text(answer)
  }
  await expect.poll(() => ask({ port }).catch(() => undefined)).toBe('first')
  socket.close()
  expect(await ask({ socketPath: at('socket') })).toBe('first')
  first.closeAllConnections()
  await new Promise((resolve) => first.close(resolve))
  const waiting = ask({ port })
  // It has been refused by then, and again.
  expect(await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 500))])).toBeUndefined()
  await listen(taskOf('second'), { port: published })
  expect(await waiting).toBe('second')
  expect(child.exitCode).toBeNull()
})
