import cluster from 'node:cluster'
import type { HealthReport } from '../health-report.js'
import type { FromPrimary, FromWorker, WorkersStatus } from './messages.js'

/** The primary, as a worker sees it. */
export interface Primary {
  /** Resolves when the worker is to stop, or the primary has gone. */
  readonly stopped: Promise<void>
  /** The worker takes requests. */
  ready(): void
  /** Asks how all workers are. Undefined: the primary has gone. */
  status(): Promise<WorkersStatus | undefined>
  /** Answers questions about this worker from now on. */
  reportWith(report: () => Promise<HealthReport>): void
  /** Lets the process end. */
  leave(): void
}

/** Signals are for the primary, which passes them on; a terminal and systemd send them to all processes. */
export function joinPrimary(): Primary {
  const waiting = new Map<number, (status: WorkersStatus | undefined) => void>()
  let lastId = 0
  let makeReport: (() => Promise<HealthReport>) | undefined
  let isStopping = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  const stopped = new Promise<void>((resolve) => {
    const stop = (): void => {
      isStopping = true
      resolve()
    }
    cluster.worker?.on('disconnect', () => {
      for (const done of waiting.values()) done(undefined)
      // A primary that was ended by a second signal waits for nothing.
      if (isStopping || !cluster.worker) return
      cluster.worker.exitedAfterDisconnect = true
      stop()
    })
    process.on('message', (message: FromPrimary) => {
      if (message.type === 'stop') stop()
      else if (message.type === 'status') waiting.get(message.id)?.(message.status)
      else if (makeReport)
        makeReport().then(
          (report) => send({ type: 'report', id: message.id, report }),
          // The primary goes without it.
          () => {},
        )
    })
  })
  return {
    stopped,
    ready: () => send({ type: 'ready' }),
    status() {
      if (!process.connected) return Promise.resolve(undefined)
      const id = ++lastId
      return new Promise((resolve) => {
        waiting.set(id, (status) => {
          waiting.delete(id)
          resolve(status)
        })
        send({ type: 'ask', id })
      })
    },
    reportWith(report) {
      makeReport = report
    },
    leave() {
      if (cluster.worker) cluster.worker.exitedAfterDisconnect = true
      if (process.connected) process.disconnect()
    },
  }
}

function send(message: FromWorker): void {
  // Without a callback a primary that has just gone would be an error of the process.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}
