import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { BuiltSimulation } from './bundle.js'
import type { Simulation, Tally } from './simulate.js'

/** Fewer are not worth another thread, which has to load everything. */
const fewest = 200

const program = `
const { parentPort, workerData: { file, options } } = require('node:worker_threads')
import(file).then(({ simulate }) => simulate(options)).then((found) => parentPort.postMessage(found))`

/** Runs histories on all processors. Each thread ends with the first that it finds. */
export async function simulateAll(
  { file, simulate }: BuiltSimulation,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<Simulation> {
  const threads = Math.min(availableParallelism(), Math.floor(count / fewest))
  if (threads < 2) return simulate({ first, count })
  const startOf = (thread: number) => first + Math.floor((count * thread) / threads)
  const found = await Promise.all(
    Array.from({ length: threads }, (_, thread) => {
      const options = { first: startOf(thread), count: startOf(thread + 1) - startOf(thread) }
      return new Promise<Simulation>((resolve, reject) => {
        const worker = new Worker(program, { eval: true, workerData: { file, options } })
        worker
          .once('message', (found: Simulation) => {
            resolve(found)
            void worker.terminate()
          })
          .once('error', reject)
          .once('exit', () => reject(new Error(`A thread ended early: seeds from ${options.first}.`)))
      })
    }),
  )
  return {
    tally: found.map(({ tally }) => tally).reduce(added),
    findings: found.flatMap(({ findings }) => findings),
  }
}

function added(one: Tally, other: Tally): Tally {
  const failures = { ...one.failures }
  for (const [code, count] of Object.entries(other.failures)) failures[code] = (failures[code] ?? 0) + count
  return {
    histories: one.histories + other.histories,
    commands: one.commands + other.commands,
    kills: one.kills + other.kills,
    killedRecoveries: one.killedRecoveries + other.killedRecoveries,
    failures,
  }
}
