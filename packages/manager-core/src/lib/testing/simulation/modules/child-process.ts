// Stands in for `node:child_process`: the programs of the simulated machine, and where instances have accounts, one `tar`
// that another one reads; else no program is installed.
import { EventEmitter, once } from 'node:events'
import { PassThrough } from 'node:stream'
import { inTurn, Killed, machine } from '../machine.js'
import { callOf, pack, runCall, unpack, type Archive } from '../programs.js'
import { rmSync } from './fs.js'

function missing(program: string): Error {
  return Object.assign(new Error(`spawn ${program} ENOENT`), { code: 'ENOENT', syscall: `spawn ${program}` })
}

/** What programs read, by their standard inputs. */
const inputs = new WeakMap<object, PromiseWithResolvers<Archive>>()

interface SpawnOptions {
  readonly stdio?: readonly unknown[]
}

export function spawn(program: string, args: readonly string[] = [], { stdio = [] }: SpawnOptions = {}) {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const child = Object.assign(new EventEmitter(), {
    stdin,
    stdout,
    stderr,
    kill: () => false,
    unref: () => undefined,
  })
  const call = callOf(program, args)
  if (stdio[0] === 'ignore' && stdio[1] === 'pipe') {
    void inTurn(async () => {
      const { code, output, errors = '' } = await runCall(call)
      const closed = Promise.all([once(stdout, 'close'), once(stderr, 'close')])
      stdout.end(output === undefined ? '' : `${output}\n`)
      stderr.end(errors)
      await closed
      child.emit('exit', code, null)
      child.emit('close', code, null)
    })
    return child
  }
  if (!machine.state.isolates || !['tar', 'sh'].includes(call.program)) {
    queueMicrotask(() => child.emit('error', missing(program)))
    return child
  }
  const input = Promise.withResolvers<Archive>()
  inputs.set(stdin, input)
  const end = (code: number, errors = '') => {
    stderr.once('close', () => child.emit('exit', code, null))
    stderr.end(errors)
  }
  void inTurn(async () => {
    try {
      if (call.program === 'tar') inputs.get(stdio[1] as object)?.resolve(pack(call))
      else {
        const archive = await input.promise
        await inTurn(() => unpack(call, archive))
      }
      end(0)
    } catch (error) {
      if (error instanceof Killed) throw error
      const { code, message } = error as NodeJS.ErrnoException
      if (call.program === 'tar') inputs.get(stdio[1] as object)?.resolve([])
      end(2, code === 'ENOSPC' ? 'tar: No space left on device' : message)
    }
  })
  return child
}

export function execFile(program: string, ...rest: unknown[]) {
  const done = rest.at(-1) as (error: Error) => void
  queueMicrotask(() => done(missing(program)))
}

export function execFileSync(program: string, args: readonly string[] = []): Buffer {
  const call = callOf(program, args)
  if (!machine.state.isolates || call.program !== 'rm') throw missing(program)
  rmSync(call.args.at(-1) ?? '', { recursive: true, force: true })
  return Buffer.alloc(0)
}

export type { ChildProcess, SpawnOptions } from 'node:child_process'
