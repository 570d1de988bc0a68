// Stands in for `node:child_process`: no program is installed.
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'

function missing(program: string): Error {
  return Object.assign(new Error(`spawn ${program} ENOENT`), { code: 'ENOENT', syscall: `spawn ${program}` })
}

export function spawn(program: string) {
  const child = Object.assign(new EventEmitter(), {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    kill: () => false,
    unref: () => undefined,
  })
  queueMicrotask(() => child.emit('error', missing(program)))
  return child
}

export function execFile(program: string, ...rest: unknown[]) {
  const done = rest.at(-1) as (error: Error) => void
  queueMicrotask(() => done(missing(program)))
}

export type { ChildProcess, SpawnOptions } from 'node:child_process'
