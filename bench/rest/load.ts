import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { words } from './data.ts'
import { loadCore } from './machine.ts'
import { base, type OperationName } from './operations.ts'
import { authorization } from './servers.ts'

const run = promisify(execFile)
const script = fileURLToPath(new URL('load.lua', import.meta.url))
let samples = 0

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly bytes: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface Load {
  readonly port: number
  readonly operation: OperationName | 'getKeyed'
  readonly seconds: number
  readonly connections: number
  readonly items: number
  /** Path of the object. Default: that of the items. */
  readonly path?: string
}

/** Runs wrk against a server. Throws when an answer was an error: a figure of failing requests is worth nothing. */
export async function load({ port, operation, seconds, connections, items, path = base }: Load): Promise<LoadResult> {
  const mark = `L${(++samples).toString(36)}`
  const wrk = [
    '-c',
    String(loadCore),
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '10s',
    '-s',
    script,
  ]
  const scriptArguments = [operation, String(items), mark, authorization, words.join(',')]
  const { stdout } = await run('taskset', [...wrk, `http://127.0.0.1:${port}${path}`, '--', ...scriptArguments])
  const line = stdout.split('\n').find((each) => each.startsWith('{'))
  if (line === undefined) throw new Error(`wrk did not finish:\n${stdout}`)
  const { refused, failed, ...result } = JSON.parse(line) as LoadResult & { refused: number; failed: number }
  if (result.requests === 0) throw new Error(`${operation}: no request was answered`)
  if (refused > 0 || failed > 0) {
    throw new Error(
      `${operation}: ${refused} of ${result.requests} answers were errors, ${failed} requests had no answer`,
    )
  }
  return result
}
