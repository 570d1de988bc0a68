import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CrashOperation } from './crash-operation.js'
import type { CrashReport } from './crash-point.js'

/** Also for programs that have a temporary folder of their own. */
const cache = join(tmpdir(), 'node-compile-cache')
const loader = new URL('./typescript.mjs', import.meta.url).href

/** Runs a program of this folder in a process of its own. @returns undefined when it was killed. */
export function runProgram(program: string, argument: unknown, environment?: NodeJS.ProcessEnv) {
  return runNode(['--import', loader, fileURLToPath(new URL(program, import.meta.url))], argument, environment)
}

/** The same with a program that needs no loader. */
export function runBuilt(program: string, argument: unknown, environment?: NodeJS.ProcessEnv) {
  return runNode([program], argument, environment)
}

async function runNode(program: readonly string[], argument: unknown, environment: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [...program, JSON.stringify(argument)], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: cache, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk))
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (signal === 'SIGKILL') return undefined
  if (code !== 0) throw new Error(`${program.at(-1)} ended with ${code ?? signal}: ${errors}`)
  return output
}

/** The made-up operation, or recovery, killed at an entry of the journal. @returns undefined when it was. */
export async function crashOperation(run: CrashOperation): Promise<CrashReport | undefined> {
  const output = await runProgram('./crash-operation.ts', run)
  return output === undefined ? undefined : (JSON.parse(output) as CrashReport)
}
