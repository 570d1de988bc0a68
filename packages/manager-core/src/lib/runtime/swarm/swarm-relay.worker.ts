import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { inheritedListeners } from '../../system/inherited-listeners.js'
import { createContainerEngine } from '../container/engine.js'
import { endMark } from './entry-script.js'
import { addressOf, isServing, nodesOf, tasksOf, wasRefused, type Service } from './tasks.js'

/*
 * The way to an instance that runs in a swarm, as a program on the manager's machine: it listens on 127.0.0.1, where
 * instances are looked for, passes each connection on to a task of the instance's service, wherever that is, and writes
 * what its tasks say to its own output, which is the instance's log. A caller waits while there is no task: after a node
 * was lost, until another has taken it over. A service that the swarm gave up because nodes could not start its tasks is
 * started again for as long as it takes: a full disk has room again one day.
 *
 * Arguments: socket of the engine, name of the service, port, file for the time of the last line that was written, how
 * often it is looked at whether the service was given up (s; default 60, not specified; chosen as the longest pause of the
 * process runtime).
 */
const [, , socket = '', service = '', port = '', positionFile = '', retrySeconds = '60'] = process.argv
const engine = createContainerEngine(socket)

interface Target {
  readonly task: string
  readonly host: string
  readonly port: number
}

/** How old what the swarm said may be, in ms. */
const freshMs = 500
/** How long a node may take to accept a connection, and a caller waits for a task. */
const connectMs = 1000
const patienceMs = 60_000
/** How long a task that answers may say that it is not healthy, until callers may hear it, too. */
const healthMs = 10_000

let targets: readonly Target[] = []
let lookedAt = -Infinity
let looking: Promise<void> | undefined
let turn = 0
const open = new Map<Socket, string>()
/** Tasks that were healthy once: an engine takes a task for running before its application listens. */
const ready = new Set<string>()
/** When those that were not yet were asked first. */
const asked = new Map<string, number>()
const ending = new AbortController()

/** Where tasks serve, as the swarm says; what it said before while it cannot be asked. */
function look(maxAgeMs: number): Promise<void> {
  if (performance.now() - lookedAt < maxAgeMs) return Promise.resolve()
  return (looking ??= (async () => {
    try {
      const [tasks, nodes] = await Promise.all([tasksOf(engine, [service]), nodesOf(engine)])
      targets = tasks.flatMap((task): Target[] => {
        const node = nodes.get(task.NodeID ?? '')
        const host = node && addressOf(node)
        const published = task.Status.PortStatus?.Ports?.[0]?.PublishedPort
        if (!isServing(task, nodes) || host === undefined || published === undefined) return []
        return [{ task: task.ID, host, port: published }]
      })
      lookedAt = performance.now()
      const now = new Set(targets.map(({ task }) => task))
      for (const id of ready) if (!now.has(id)) ready.delete(id)
      for (const id of asked.keys()) if (!now.has(id)) asked.delete(id)
      // A node that is lost does not answer; waiting for it would take minutes.
      const lost = new Set(
        tasks.filter((task) => nodes.get(task.NodeID ?? '')?.Status.State === 'down').map(({ ID }) => ID),
      )
      for (const [connection, task] of open) if (lost.has(task)) connection.destroy()
    } catch {
      // The engine is away for a moment: what ran keeps running.
    } finally {
      looking = undefined
    }
  })())
}

/** A connection to a task; undefined: none could be had while the caller waited. */
async function reach(caller: Socket): Promise<{ readonly connection: Socket; readonly task: string } | undefined> {
  const begin = performance.now()
  while (!caller.destroyed && performance.now() - begin < patienceMs) {
    await look(freshMs)
    const target = targets[turn++ % Math.max(1, targets.length)]
    const connection = target === undefined ? undefined : await reachTask(target)
    if (target && connection) return { connection, task: target.task }
    // It may be another one already.
    lookedAt = -Infinity
    await sleep(100)
  }
  return undefined
}

async function reachTask(target: Target): Promise<Socket | undefined> {
  return (await isReady(target)) ? connected(target) : undefined
}

/** Whether its application was healthy once; one that reports no health is when it answers. */
async function isReady({ task, host, port: its }: Target): Promise<boolean> {
  if (ready.has(task)) return true
  const status = await new Promise<number | undefined>((resolve) => {
    const signal = AbortSignal.timeout(connectMs)
    get({ host, port: its, path: '/health', agent: false, signal }, (response) => {
      response.resume().once('error', () => undefined)
      resolve(response.statusCode)
    }).once('error', () => resolve(undefined))
  })
  const begin = asked.get(task) ?? performance.now()
  asked.set(task, begin)
  if (status === undefined || (status >= 500 && performance.now() - begin < healthMs)) return false
  ready.add(task)
  asked.delete(task)
  return true
}

function connected({ host, port: its }: Target): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const connection = connect({ host, port: its, allowHalfOpen: true, noDelay: true })
    const fail = () => {
      connection.destroy()
      resolve(undefined)
    }
    connection.setTimeout(connectMs, fail)
    connection.once('error', fail)
    connection.once('connect', () => {
      connection.setTimeout(0)
      connection.off('error', fail)
      resolve(connection)
    })
  })
}

const listening = { allowHalfOpen: true, noDelay: true, pauseOnConnect: true }
const pass = (caller: Socket) => {
  caller.on('error', () => undefined)
  void (async () => {
    const reached = await reach(caller)
    if (!reached || caller.destroyed) {
      reached?.connection.destroy()
      caller.destroy()
      return
    }
    const { connection, task } = reached
    open.set(connection, task)
    connection.on('error', () => caller.destroy())
    connection.once('close', () => {
      open.delete(connection)
      caller.destroy()
    })
    caller.once('close', () => connection.destroy())
    caller.pipe(connection)
    connection.pipe(caller)
    caller.resume()
  })()
}
const servers = [
  createServer(listening, pass).listen(Number(port), '127.0.0.1'),
  ...inheritedListeners().map((fd) => createServer(listening, pass).listen({ fd })),
]

// Connections to a node that is lost are closed.
setInterval(() => {
  if (open.size > 0) void look(0)
}, 1000).unref()

async function startRefused(): Promise<void> {
  try {
    const found = await engine.ask<Service>('GET', `/services/${service}`, { besides: [404] })
    if (!found) return
    const [tasks, nodes] = await Promise.all([tasksOf(engine, [found.ID]), nodesOf(engine)])
    if (!wasRefused(found, tasks, nodes)) return
    const { TaskTemplate } = found.Spec
    const again = { ...found.Spec, TaskTemplate: { ...TaskTemplate, ForceUpdate: (TaskTemplate.ForceUpdate ?? 0) + 1 } }
    // Refused when another one changed the service meanwhile.
    await engine.ask('POST', `/services/${found.ID}/update`, {
      query: { version: String(found.Version.Index) },
      body: again,
    })
    process.stdout.write(
      `${new Date().toISOString()} steward: No node could start the application; it is started again.\n`,
    )
  } catch {
    // The next time.
  }
}
setInterval(() => void startRefused(), Number(retrySeconds) * 1000).unref()

/** Exit code of the task that ended last, and since when none has said anything. */
let code: number | undefined
let heardAt = performance.now()

/** Writes what the tasks say, from where it was left. */
async function collect(): Promise<void> {
  while (!ending.signal.aborted) {
    try {
      const since = existsSync(positionFile) ? readFileSync(positionFile, 'utf8').trim() : ''
      const query = {
        follow: '1',
        stdout: '1',
        stderr: '1',
        timestamps: '1',
        ...(since !== '' && { since: seconds(since) }),
      }
      await write(await engine.stream(`/services/${service}/logs`, { query, signal: ending.signal }), since)
    } catch {
      // The engine is away, or the service is not there yet.
    }
    await sleep(200, undefined, { signal: ending.signal }).catch(() => undefined)
  }
}

/** With the fraction: the engine takes whole seconds and nanoseconds. */
function seconds(time: string): string {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? '0'
  return `${Math.floor(Date.parse(time) / 1000)}.${fraction.padEnd(9, '0')}`
}

/** Frames: 4 bytes for the stream, the length of the text in 4 more, the time, a space, and the text. */
async function write(frames: AsyncIterable<Buffer>, since: string): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  let last = since
  for await (const chunk of frames) {
    heardAt = performance.now()
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let text = ''
    let at = 0
    for (; at + 8 <= rest.length;) {
      const end = at + 8 + rest.readUInt32BE(at + 4)
      if (end > rest.length) break
      const line = rest.toString('utf8', at + 8, end)
      at = end
      const space = line.indexOf(' ')
      const time = line.slice(0, space)
      if (time === since) continue
      last = time
      text += without(line.slice(space + 1))
    }
    rest = rest.subarray(at)
    process.stdout.write(text)
    if (last !== '') writeFileSync(positionFile, last)
  }
}

/** What the application said; notes how it ended. */
function without(line: string): string {
  const at = line.indexOf(endMark)
  if (at < 0) {
    code = undefined
    return line
  }
  code = Number(line.slice(at + endMark.length))
  // It may have ended without the end of its last line.
  return at === 0 ? '' : `${line.slice(0, at)}\n`
}

void collect()

process.once('SIGTERM', () => {
  for (const server of servers) server.close()
  void (async () => {
    const begin = performance.now()
    // What was killed says nothing at last.
    const isOver = () => {
      const now = performance.now()
      return code !== undefined || now - Math.max(heardAt, begin) > 1000 || now - begin > 5000
    }
    while (!isOver()) await sleep(10)
    ending.abort()
    process.exit(code ?? 0)
  })()
})
