import cluster from 'node:cluster'
import type { Worker } from 'node:cluster'
import type { Logger } from 'pino'
import type { HealthReport } from '../health-report.js'
import type { FromPrimary, FromWorker, WorkersStatus, WorkerTask } from './messages.js'

export interface WorkersOptions {
  readonly count: number
  /** Command line of the workers, without the program's name. */
  readonly args: readonly string[]
  /** Files of sockets that listen already, for the workers. */
  readonly inherited: readonly number[]
  readonly logger: Logger
}

/** How long a worker may take to stop before it is killed, in ms: running requests have 10,000 of them. */
const stopMs = 30_000
/** How long the report of a worker is waited for, in ms: one that computes does not answer. */
const reportMs = 1000
/** A worker that lived longer is replaced at once, in ms. */
const steadyMs = 10_000
const longestDelayMs = 30_000

interface Place {
  readonly number: number
  /** Takes requests. */
  worker: Worker | undefined
  /** Starts in a row that came to nothing. */
  failures: number
  timer: NodeJS.Timeout | undefined
}

/**
 * Runs the application in several processes that take connections from one socket: an idle one takes the next one, so
 * that what a killed process has not taken is answered by the others. The first worker prepares the database; the
 * others follow. A worker that ends is replaced.
 *
 * SIGTERM and SIGINT stop all workers gracefully, SIGHUP replaces one after the other.
 *
 * @returns the exit code: 0 after a stop, 1 when the application does not start, or has lost the inherited sockets with its
 * workers: what started it has them still, and starts it again.
 */
export async function runWorkers({ count, args, inherited, logger }: WorkersOptions): Promise<number> {
  // The sockets of a round robin would be lost with the worker that they were just sent to.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({ args: [...args] })
  const startedAt = new Date().toISOString()
  const places = Array.from({ length: count }, (_, index): Place => {
    return { number: index + 1, worker: undefined, failures: 0, timer: undefined }
  })
  const asked = new Map<number, (report: HealthReport) => void>()
  let lastId = 0
  let restarts = 0
  let stopping = false
  let isReloading = false
  let isAskedToReload = false

  const lost = Promise.withResolvers<void>()
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        logger.info(`${signal}: finishing running requests`)
        process.once(signal, () => process.exit(130))
        stopping = true
        resolve()
      })
    }
  })
  process.on('SIGHUP', () => {
    if (stopping) return
    logger.info('SIGHUP: replacing the workers one after the other')
    isAskedToReload = true
    if (!isReloading) void reload()
  })

  const [first, ...others] = places as [Place, ...Place[]]
  const firstReady = start(first, { first: true, prepare: true })
  const isUp = await Promise.race([firstReady, stopped.then(() => false)])
  if (!isUp && !stopping) return 1
  for (const place of others) if (!stopping) void keep(place)
  await Promise.race([stopped, lost.promise])
  const isLost = !stopping
  stopping = true
  for (const { timer } of places) clearTimeout(timer)
  const living = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  await Promise.all(living.map((worker) => stop(worker)))
  return isLost ? 1 : 0

  /** @returns whether it came up; when it did, it is replaced after its end. */
  async function start(place: Place, { first: isFirst = false, prepare = false } = {}): Promise<boolean> {
    const task: WorkerTask = { number: place.number, first: isFirst, prepare, of: count, inherited }
    const worker = cluster.fork({ STEWARD_WORKER: JSON.stringify(task) })
    const startedMs = performance.now()
    // What cannot be sent to a worker that has just ended is not needed.
    worker.on('error', (error) => logger.debug(error, `Worker ${place.number}`))
    return new Promise((resolve) => {
      worker.on('message', (message: FromWorker) => {
        if (message.type === 'ready') {
          const before = place.worker
          place.worker = worker
          if (before) void stop(before)
          logger.info(`Worker ${place.number} takes requests (pid ${worker.process.pid})`)
          resolve(true)
        } else if (message.type === 'ask') void answer(worker, message.id)
        else asked.get(message.id)?.(message.report)
      })
      worker.once('exit', (code, signal) => {
        resolve(false)
        if (place.worker !== worker) return
        place.worker = undefined
        if (stopping) return
        if (inherited.length > 0 && places.every((each) => !each.worker)) {
          logger.error('All workers have ended, and Node has closed the inherited sockets with the last one')
          lost.resolve()
          return
        }
        if (performance.now() - startedMs > steadyMs) place.failures = 0
        restarts++
        replace(place, `Worker ${place.number} (pid ${worker.process.pid}) ended by ${signal || `exit code ${code}`}`)
      })
    })
  }

  /** Starts it again and again until it is up. */
  async function keep(place: Place): Promise<void> {
    if (await start(place)) return
    if (!stopping) replace(place, `Worker ${place.number} did not start`)
  }

  function replace(place: Place, reason: string): void {
    const delayMs = place.failures === 0 ? 0 : Math.min(longestDelayMs, 500 * 2 ** place.failures)
    place.failures++
    logger.error(`${reason}; a new one starts ${delayMs === 0 ? 'now' : `in ${delayMs / 1000} s`}`)
    place.timer = setTimeout(() => void keep(place), delayMs)
  }

  /** Once more when it was asked for meanwhile: the application may have changed since the first ones read it. */
  async function reload(): Promise<void> {
    isReloading = true
    while (isAskedToReload) {
      isAskedToReload = false
      await replaceAll()
    }
    isReloading = false
  }

  /** Replaces each worker by one that has read the application again; the first one that does not start ends it. */
  async function replaceAll(): Promise<void> {
    for (const place of places) {
      if (stopping) return
      if (!(await start(place, { prepare: place === first }))) {
        if (!stopping) logger.error(`The new worker ${place.number} did not start; the others keep running`)
        return
      }
    }
    logger.info('All workers were replaced')
  }

  async function answer(worker: Worker, id: number): Promise<void> {
    const ready = places.flatMap(({ worker: other }) => other ?? [])
    const reports = (await Promise.all(ready.map(reportOf))).filter((report) => report !== undefined)
    const status: WorkersStatus = {
      pid: process.pid,
      uptime: Math.round(process.uptime()),
      startedAt,
      rss: process.memoryUsage.rss(),
      configured: count,
      running: ready.length,
      restarts,
      reports,
    }
    send(worker, { type: 'status', id, status })
  }

  function reportOf(worker: Worker): Promise<HealthReport | undefined> {
    const id = ++lastId
    return new Promise((resolve) => {
      const done = (report?: HealthReport): void => {
        clearTimeout(timer)
        asked.delete(id)
        resolve(report)
      }
      const timer = setTimeout(done, reportMs)
      asked.set(id, done)
      send(worker, { type: 'report', id })
    })
  }

  async function stop(worker: Worker): Promise<void> {
    if (worker.isDead()) return
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    const timer = setTimeout(() => {
      logger.error(`A worker (pid ${worker.process.pid}) did not stop within ${stopMs / 1000} s and is killed`)
      worker.process.kill('SIGKILL')
    }, stopMs)
    send(worker, { type: 'stop' })
    await ended
    clearTimeout(timer)
  }

  function send(worker: Worker, message: FromPrimary): void {
    if (worker.isConnected()) worker.send(message)
  }
}
