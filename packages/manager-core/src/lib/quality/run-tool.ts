import { ManagerError } from '../../errors.js'
import { asAccountWith, type SystemAccount } from '../accounts/account.js'
import { plainEnvironment } from '../accounts/environment.js'
import { runForeignProgram } from '../accounts/foreign-program.js'

export interface ToolCall {
  readonly folder: string
  /** Over what programs of an instance find in their environment. */
  readonly environment?: Readonly<Record<string, string>>
  /** Whose process it is. Default: this process's user. */
  readonly account?: SystemAccount | undefined
  /** What the account may use as its home. */
  readonly home: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

export interface ToolEnd {
  /** undefined: it was ended by a signal, or could not be started. */
  readonly code: number | undefined
  readonly stdout: string
  /** Its last characters. */
  readonly stderr: string
}

const maxOutput = 64 * 2 ** 20
/** For what it started itself, such as processes of tests. */
const graceMs = 5_000

/**
 * Runs a program that looks at an application, with nothing of the manager's environment.
 *
 * @throws ManagerError ERR_FAILED when it takes too long
 */
export async function runTool(program: string, args: readonly string[], call: ToolCall): Promise<ToolEnd> {
  const { folder, environment, account, home, timeoutMs, signal } = call
  const all = { ...plainEnvironment(home, account), ...environment }
  const { program: own, before, environment: env } = asAccountWith(account, program, all)
  const { code, stdout, stderr, ended } = await runForeignProgram({
    program: own,
    args: [...before, ...args],
    folder,
    environment: env,
    limitMs: timeoutMs,
    longest: maxOutput,
    graceMs,
    signal,
  })
  signal?.throwIfAborted()
  if (ended === 'late')
    throw new ManagerError('ERR_FAILED', `The analysis did not end within ${timeoutMs / 1000} seconds.`, {
      help: 'Set APPS_QUALITY_TIMEOUT to more seconds.',
    })
  return { code, stdout, stderr }
}
