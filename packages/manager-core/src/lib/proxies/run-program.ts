import { ManagerError } from '../../errors.js'

/** A program that hangs must not hold everybody else for ever, in ms. */
const timeout = 60_000

export interface ProgramEnd {
  readonly ok: boolean
  /** All that it said. */
  readonly output: string
}

/**
 * Runs the program of a reverse proxy, which may refuse something.
 *
 * @throws ManagerError ERR_SETTINGS when it cannot be started
 */
export async function runProgram(command: string, args: readonly string[]): Promise<ProgramEnd> {
  const { execa } = await import('execa')
  const result = await execa(command, args, {
    all: true as const,
    reject: false as const,
    stdin: 'ignore' as const,
    timeout,
    // Programs of the system's administrator are not in everybody's path.
    env: { PATH: `${process.env.PATH ?? ''}:/usr/sbin:/usr/local/sbin:/sbin`, LC_ALL: 'C' },
    // What it starts may keep its output open.
    maxBuffer: 4 * 2 ** 20,
  })
  if (result.code === 'ENOENT' || result.code === 'EACCES')
    throw new ManagerError('ERR_SETTINGS', `The reverse proxy's program ${command} cannot be run.`, {
      help: 'Install it, or name it in APPS_PROXYCOMMAND.',
      command: 'config APPS_PROXYCOMMAND APPS_HTTPSERVER',
    })
  const said = result.timedOut ? `It took longer than ${timeout / 1000} seconds.` : ''
  return { ok: !result.failed, output: [result.all?.trim() ?? '', said].filter(Boolean).join('\n') }
}
