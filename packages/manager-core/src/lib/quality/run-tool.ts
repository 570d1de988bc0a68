import { ManagerError } from '../../errors.js'
import { asAccountWith, type SystemAccount } from '../accounts/account.js'
import { plainEnvironment } from '../accounts/environment.js'

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
  readonly stderr: string
}

const maxOutput = 64 * 2 ** 20

/**
 * Runs a program that looks at an application, with nothing of the manager's environment.
 *
 * @throws ManagerError ERR_FAILED when it takes too long
 */
export async function runTool(program: string, args: readonly string[], call: ToolCall): Promise<ToolEnd> {
  const { folder, environment, account, home, timeoutMs, signal } = call
  const all = { ...plainEnvironment(home, account), ...environment }
  const { program: own, before, environment: env } = asAccountWith(account, program, all)
  const { execa } = await import('execa')
  const { exitCode, stdout, stderr, timedOut } = await execa(own, [...before, ...args], {
    cwd: folder,
    env,
    extendEnv: false,
    timeout: timeoutMs,
    maxBuffer: maxOutput,
    stdin: 'ignore' as const,
    reject: false as const,
    ...(signal && { cancelSignal: signal }),
  })
  signal?.throwIfAborted()
  if (timedOut)
    throw new ManagerError('ERR_FAILED', `The analysis did not end within ${timeoutMs / 1000} seconds.`, {
      help: 'Set APPS_QUALITY_TIMEOUT to more seconds.',
    })
  return { code: exitCode, stdout, stderr }
}
