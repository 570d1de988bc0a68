// Stand in for globals in what is built for the simulation.
import { Readable } from 'node:stream'
import { EventEmitter } from 'node:events'
import { current, inTurn, machine } from '../machine.js'
import { healthAt } from '../applications.js'
import { probeAnswer, proxyPort } from '../proxy.js'

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

interface HttpOptions {
  readonly port: number
  readonly headers?: Readonly<Record<string, string>>
}

const http = {
  get({ port, headers: { Host: host = '' } = {} }: HttpOptions, answered: (response: unknown) => void) {
    const request = new EventEmitter()
    void inTurn(async () => {
      const answer = port === proxyPort ? probeAnswer(host) : await healthAt(port)
      if (answer === undefined) return request.emit('error', new Error('ECONNREFUSED'))
      const { status: statusCode, text, headers = {} } = { headers: undefined, ...answer }
      answered(Object.assign(Readable.from([text]), { statusCode, headers }))
      return undefined
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
    // The manager runs as root.
    if (name === 'getuid' || name === 'getgid') return () => 0
    if (name === 'platform') return 'linux'
    if (name === 'pid') return current()?.pid ?? target.pid
    // A simulated program is none of the machine that this one would have to end.
    if (name === 'once') return () => undefined
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
