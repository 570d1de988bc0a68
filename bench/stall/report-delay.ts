import { monitorEventLoopDelay } from 'node:perf_hooks'

/** What the server reports when it is asked by a message. */
export interface DelayReport {
  /** The longest time since the last question in which the event loop did nothing else, in ms. */
  readonly stallMs: number
  /** CPU time of the thread of the event loop since the last question: what a stall is on a machine that is free. */
  readonly cpuMs: number
  readonly rssMb: number
}

// Loaded into the server under test by --import.
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
let before = process.threadCpuUsage()
process.on('message', () => {
  const { user, system } = process.threadCpuUsage(before)
  const report: DelayReport = {
    stallMs: delay.max / 1e6,
    cpuMs: (user + system) / 1000,
    rssMb: process.memoryUsage.rss() / 2 ** 20,
  }
  before = process.threadCpuUsage()
  process.send?.(report)
  delay.reset()
})
process.channel?.unref()
