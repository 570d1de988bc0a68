import { constants, existsSync } from 'node:fs'
import { access, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from '../domain/home.js'
import type { Settings } from '../settings/settings.js'
import { allowedForHooks } from './hook-environment.js'
import { whyUnsafe, type Hooks } from './hooks.js'
import { longest, maskSecrets, secretsOf } from './mask-secrets.js'
import { runScript, type ScriptEnd } from './run-script.js'

const outputBytes = 64 * 1024

export interface HooksOptions {
  readonly home: Home
  readonly settings: () => Settings
}

export function createHooks({ home, settings }: HooksOptions): Hooks {
  return {
    async run(call) {
      const { hook, args, input, signal } = call
      const file = join(home.hooks, `${hook}.sh`)
      const unable = await whyNot(file)
      if (unable) {
        const problem = unable.problem && `hooks/${hook}.sh ${unable.problem}`
        return { ran: false, code: undefined, problem, output: '', timedOut: false, duration: 0 }
      }
      const { hookTimeoutMs: timeoutMs, passedOn } = settings().global
      const own = allowedForHooks(call.environment)
      const environment = { ...settings().environment(), ...own }
      const secrets = secretsOf({ ...passedOn, ...own })
      const begin = performance.now()
      const end = await runScript({
        file,
        args,
        folder: home.folder,
        environment,
        input: JSON.stringify(input),
        timeoutMs,
        outputBytes: outputBytes + longest(secrets),
        signal,
      })
      const problem = problemOf(end, timeoutMs)
      return {
        ran: end.error === undefined,
        code: end.code,
        problem: problem && `hooks/${hook}.sh ${problem}`,
        output: maskSecrets(end.output, secrets, end.isCut),
        timedOut: end.ended === 'timeout',
        duration: Math.round(performance.now() - begin),
      }
    },
  }
}

/** Why it is not run; without a problem when there is none of this name. */
async function whyNot(file: string): Promise<{ readonly problem?: string } | undefined> {
  try {
    const found = await stat(file)
    if (!found.isFile()) return { problem: 'is not a file, so it was not run.' }
    const unsafe = whyUnsafe(found)
    if (unsafe !== undefined) return { problem: unsafe }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') return { problem: `cannot be read: ${message}.` }
    const bare = file.replace(/\.sh$/, '')
    // Its name says that the hook guards the action.
    return existsSync(bare) ? { problem: `does not exist; ${bare} is not run without .sh. Rename it.` } : {}
  }
  const isExecutable = await access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!isExecutable) return { problem: `is not executable, so it was not run. To fix this, run: chmod +x ${file}` }
  const program = await interpreterOf(file)
  if (program === undefined || existsSync(program)) return undefined
  const lineEnd = program.endsWith('\r') ? ' It has Windows line endings.' : ''
  return {
    problem: `was not run, because the program in its first line, ${program.trimEnd()}, does not exist.${lineEnd}`,
  }
}

/** Reads `#!/bin/sh`; undefined: it has no such line, or may be run but not read. */
async function interpreterOf(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file)
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(256), 0, 256, 0)
      return /^#![ \t]*([^ \t\n]+)/.exec(buffer.toString('utf8', 0, bytesRead))?.[1]
    } finally {
      await handle.close()
    }
  } catch {
    return undefined
  }
}

function problemOf({ error, ended, signal, code }: ScriptEnd, timeoutMs: number): string | undefined {
  if (error) return `cannot be started: ${error.message}.`
  if (ended === 'timeout') return `took longer than ${timeoutMs / 1000} s (APPS_HOOKTIMEOUT) and was ended.`
  if (ended === 'cancelled') return 'was ended, because the operation was cancelled.'
  if (signal) return `was ended by ${signal}.`
  return code === 0 ? undefined : `failed with code ${code}.`
}
