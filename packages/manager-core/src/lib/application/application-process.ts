import { asAccount, type SystemAccount } from '../accounts/account.js'
import type { ManagerContext } from '../context.js'
import { applicationServerOf } from '../instances/application-server.js'
import { redact } from '../runtime/redact.js'
import { inherited } from '../runtime/launch.js'

export interface ApplicationProcessOptions {
  /** Folder of the application. */
  readonly app: string
  /** As it would have it when it runs. */
  readonly environment: Readonly<Record<string, string>>
  /** Whose process it is. Default: this process's user. */
  readonly account?: SystemAccount | undefined
  /** What it may use as its home. */
  readonly home: string
  readonly timeout?: number
  readonly signal?: AbortSignal | undefined
}

const maxOutput = 16 * 2 ** 20

/** Runs the program that serves an application, for a task with an end. Never rejects because it failed. */
export async function runApplicationTask(
  { applicationServer }: Pick<ManagerContext, 'applicationServer'>,
  { app, environment, account, home, timeout = 0, signal }: ApplicationProcessOptions,
  task: readonly string[],
  onOutput?: (output: string, end: () => void) => void,
) {
  const [program, before] = asAccount(account, process.execPath)
  // Nothing else of the manager's environment reaches the code of an application.
  const own = Object.entries(process.env).filter(([name]) => inherited.test(name))
  const { execa } = await import('execa')
  const run = execa(program, [...before, applicationServerOf(app, applicationServer), app, ...task], {
    env: { ...Object.fromEntries(own), ...(account && { HOME: home, TMPDIR: undefined }), ...environment },
    ...{ cwd: app, extendEnv: false, timeout, stdin: 'ignore' as const, reject: false as const, maxBuffer: maxOutput },
    ...(signal && { cancelSignal: signal }),
  })
  let output = ''
  run.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    onOutput?.(output, () => run.kill('SIGKILL'))
  })
  const { failed, timedOut, stderr } = await run
  signal?.throwIfAborted()
  const errors = redact(stderr.trim()).slice(-2000)
  return { output, errors, failed, timedOut, reason: reasonIn(errors) }
}

/** What the application server says about its end; undefined: nothing, so that something else has ended it. */
function reasonIn(errors: string): string | undefined {
  const mark = 'app-server: '
  return errors
    .split('\n')
    .find((line) => line.startsWith(mark))
    ?.slice(mark.length)
}
