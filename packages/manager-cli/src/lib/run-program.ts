import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { ManagerError } from '@steward/manager-core/errors'
import type { Program } from '@steward/manager-core'
import { exitCodeOf, type Launch } from './launch.js'
import { runApart, runInOwnTerminal } from './own-terminal.js'
import type { Surroundings } from './surroundings.js'

/**
 * Lets a program have the terminal until it ends. One of another account gets a terminal of its own.
 *
 * @returns its exit code; 128 + the signal's number when a signal ended it
 * @throws ManagerError ERR_NOT_FOUND when the program is not installed, ERR_FAILED when it cannot be started
 */
export async function runProgram(program: Program, surroundings: Surroundings): Promise<number> {
  const { env, cwd, stdin, stdout } = surroundings
  const { command, args, environment, isolated = false, folder = cwd, input } = program
  const file = input === undefined ? undefined : openSync(input, 'r')
  const all = { ...(isolated ? plain(env) : env), ...environment }
  const launch: Launch = { command, args, folder, environment: all, input: file }
  try {
    if (!isolated) return await runHere(launch, surroundings)
    if (file === undefined && stdin.isTTY && stdout.isTTY) return await runInOwnTerminal(launch, surroundings)
    return await runApart(launch, surroundings)
  } catch (error) {
    if (ManagerError.is(error)) throw error
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new ManagerError(
      missing ? 'ERR_NOT_FOUND' : 'ERR_FAILED',
      missing ? `${command} is not installed.` : `${command} cannot be started: ${(error as Error).message}`,
      { cause: error },
    )
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** With the terminal of the caller, whose user it is. */
async function runHere(launch: Launch, { signals }: Surroundings): Promise<number> {
  // Ctrl-C is for the program, which may continue after it; ending us would take the terminal from under it.
  const ignore = () => {}
  signals.on('SIGINT', ignore)
  try {
    const child = spawn(launch.command, launch.args, {
      cwd: launch.folder,
      env: launch.environment,
      stdio: [launch.input ?? 'inherit', 'inherit', 'inherit'],
    })
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => resolve(exitCodeOf(code, signal)))
    })
  } finally {
    signals.off('SIGINT', ignore)
  }
}

/** What a terminal needs: others may be secrets of the caller, and other processes of the account could read them. */
function plain(env: Surroundings['env']): Surroundings['env'] {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => /^(PATH|TERM|COLORTERM|LANG|LC_.*|TZ|SHELL)$/.test(name)),
  )
}
