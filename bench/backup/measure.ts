import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** In seconds; CPU time of all processes but database servers. */
export interface Sample {
  readonly wall: number
  readonly cpu: number
}

/** Runs a program and all that it starts to its end. @throws Error with what it printed. */
export async function measure(command: readonly string[], path = process.env['PATH']): Promise<Sample> {
  const script = 'TIMEFORMAT="%R %U %S"; time "$@" >/dev/null'
  const child = spawn('/bin/bash', ['-c', script, '-', ...command], {
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${String(code)}: ${errors}`)
  const [wall = 0, user = 0, system = 0] = errors.trim().split(/\s+/).slice(-3).map(Number)
  return { wall, cpu: user + system }
}
