import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CrashAction } from './crash-action.js'
import type { CrashOperation } from './crash-operation.js'
import type { CrashReport } from './crash-point.js'

/** Also for programs that have a temporary folder of their own. */
const cache = join(tmpdir(), 'node-compile-cache')
const loader = new URL('./typescript.mjs', import.meta.url).href

/** Runs a program of this folder in a process of its own. @returns undefined when it was killed. */
export async function runProgram(program: string, argument: unknown, environment: NodeJS.ProcessEnv = {}) {
  const file = fileURLToPath(new URL(program, import.meta.url))
  const child = spawn(process.execPath, ['--import', loader, file, JSON.stringify(argument)], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: cache, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk))
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (signal === 'SIGKILL') return undefined
  if (code !== 0) throw new Error(`${program} ended with ${code ?? signal}: ${errors}`)
  return output
}

/** The made-up operation, or recovery, killed at an entry of the journal. @returns undefined when it was. */
export async function crashOperation(run: CrashOperation): Promise<CrashReport | undefined> {
  const output = await runProgram('./crash-operation.ts', run)
  return output === undefined ? undefined : (JSON.parse(output) as CrashReport)
}

/** An action, or recovery, killed at an entry of the journal. @returns undefined when it was. */
export async function crashAction(
  run: CrashAction,
  environment: NodeJS.ProcessEnv = {},
): Promise<CrashReport | undefined> {
  const output = await runProgram('./crash-action.ts', run, environment)
  return output === undefined ? undefined : (JSON.parse(output) as CrashReport)
}
