// Stands in for `p-limit`: each simulated process has its own, as if it had loaded the module itself.
import real from 'p-limit'
import { current, type SimulatedProcess } from '../machine.js'

type Limit = ReturnType<typeof real>

// As the package has it.
// oxlint-disable-next-line import/no-default-export
export default function pLimit(concurrency: number): Limit {
  const outside = real(concurrency)
  const own = new WeakMap<SimulatedProcess, Limit>()
  const limit = (): Limit => {
    const process = current()
    if (!process) return outside
    const found = own.get(process) ?? real(concurrency)
    own.set(process, found)
    return found
  }
  return Object.assign(((...args: Parameters<Limit>) => limit()(...args)) as Limit, {
    map: ((...args: Parameters<Limit['map']>) => limit().map(...args)) as Limit['map'],
  })
}
