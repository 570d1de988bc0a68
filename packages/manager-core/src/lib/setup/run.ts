import { ManagerError } from '../../errors.js'

export interface RunOptions {
  /** Account that it runs as; root otherwise. */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined
  readonly folder?: string
  readonly environment?: Readonly<Record<string, string>>
}

export interface Ran {
  readonly ok: boolean
  /** Standard output and standard error, as they came. */
  readonly output: string
  readonly stdout: string
}

/** Runs a program of this machine and waits for it. `ok` is false, too, when there is no such program. */
export async function tryRun(
  [program = '', ...args]: readonly string[],
  { account, folder = '/', environment = {} }: RunOptions = {},
): Promise<Ran> {
  const { execa } = await import('execa')
  const { failed, all, stdout, shortMessage } = await execa(program, args, {
    ...(account && { uid: account.uid, gid: account.gid }),
    cwd: folder,
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', ...environment },
    extendEnv: false,
    all: true as const,
    reject: false as const,
    stdin: 'ignore' as const,
    timeout: 600_000,
  })
  return { ok: !failed, output: all?.trim() || shortMessage || '', stdout }
}

/** @throws ManagerError ERR_FAILED with what it said */
export async function run(command: readonly string[], what: string, options?: RunOptions): Promise<Ran> {
  const ran = await tryRun(command, options)
  if (ran.ok) return ran
  throw new ManagerError('ERR_FAILED', `${what} failed: ${ran.output.split('\n').at(-1)}`, {
    output: ran.output,
    help: `The command was: ${command.join(' ')}. Fix the cause, then run setup again: it continues.`,
  })
}
