// Stand in for globals in what is built for the simulation.
import { Readable } from 'node:stream'
import { EventEmitter } from 'node:events'
import { current, inTurn, machine } from '../machine.js'
import { healthAt } from '../applications.js'

const { Date: RealDate, AbortSignal: RealSignal, process: realProcess } = globalThis

class SimulatedDate extends RealDate {
  constructor(...args: [] | [number | string]) {
    if (args.length === 0) super(machine.state.now)
    else super(...(args as [number]))
  }

  static override now(): number {
    return machine.state.now
  }
}

class Limits extends RealSignal {
  /** Simulated calls that never end say so themselves. */
  static override timeout(): AbortSignal {
    return new AbortController().signal
  }
}

const http = {
  get(options: { readonly port: number; readonly path?: string }, answered: (response: unknown) => void) {
    const request = new EventEmitter()
    void inTurn(async () => {
      const health = await healthAt(options.port)
      if (health === undefined) request.emit('error', new Error('ECONNREFUSED'))
      else answered(Object.assign(Readable.from([health.text]), { statusCode: health.status }))
    })
    return request
  },
}

const performanceOfMachine = { now: () => machine.state.now }

/** No program is installed, and nothing is set. */
const environment = { PATH: '/nowhere' }

const processOfMachine = new Proxy(realProcess, {
  get(target, name) {
    if (name === 'env') return environment
    if (name === 'pid') return current()?.pid ?? target.pid
    if (name === 'getBuiltinModule')
      return (id: string) => (id === 'node:http' ? http : target.getBuiltinModule(id as 'node:fs'))
    return Reflect.get(target, name) as unknown
  },
})

export {
  SimulatedDate as Date,
  Limits as AbortSignal,
  performanceOfMachine as performance,
  processOfMachine as process,
}
