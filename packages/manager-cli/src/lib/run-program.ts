import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import { ManagerError } from '@steward/manager-core/errors'
import type { Program } from '@steward/manager-core'
import type { Surroundings } from './surroundings.js'

/**
 * Lets a program have the terminal until it ends.
 *
 * @returns its exit code; 128 + the signal's number when a signal ended it
 * @throws ManagerError ERR_NOT_FOUND when the program is not installed, ERR_FAILED when it cannot be started
 */
export async function runProgram(program: Program, { env, cwd, signals }: Surroundings): Promise<number> {
  const { command, args, environment, isolated = false, folder = cwd, input } = program
  const inputFile = input === undefined ? undefined : openSync(input, 'r')
  // Ctrl-C is for the program, which may continue after it; ending us would take the terminal from under it.
  const ignore = () => {}
  signals.on('SIGINT', ignore)
  try {
    const child = spawn(command, args, {
      cwd: folder,
      env: { ...(isolated ? plain(env) : env), ...environment },
      stdio: [inputFile ?? 'inherit', 'inherit', 'inherit'],
    })
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
    })
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new ManagerError(
      missing ? 'ERR_NOT_FOUND' : 'ERR_FAILED',
      missing ? `${command} is not installed.` : `${command} cannot be started: ${(error as Error).message}`,
      { cause: error },
    )
  } finally {
    signals.off('SIGINT', ignore)
    if (inputFile !== undefined) closeSync(inputFile)
  }
}

/** What a terminal needs: others may be secrets of the caller, and other processes of the account could read them. */
function plain(env: Surroundings['env']): Surroundings['env'] {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => /^(PATH|TERM|COLORTERM|LANG|LC_.*|TZ|SHELL)$/.test(name)),
  )
}
