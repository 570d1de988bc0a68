import { asAccountWith, type SystemAccount } from '../accounts/account.js'
import { plainEnvironment } from '../accounts/environment.js'
import { applicationServerOf, type ServerContext } from '../servers/application-server.js'

export interface ApplicationCommandOptions {
  /** Folder of the application. */
  readonly app: string
  /** As it would have it when it runs. */
  readonly environment: Readonly<Record<string, string>>
  /** Whose process it is. Default: this process's user. */
  readonly account?: SystemAccount | undefined
  /** What an account may use as its home. */
  readonly home: string
}

/** How the program that serves an application is run for a task with an end. */
export function applicationCommand(
  context: ServerContext,
  { app, environment, account, home }: ApplicationCommandOptions,
  task: readonly string[],
) {
  // Nothing else of the manager's environment reaches the code of an application.
  const all = { ...plainEnvironment(home, account), ...environment }
  const launch = asAccountWith(account, process.execPath, all)
  return {
    program: launch.program,
    args: [...launch.before, applicationServerOf(context, app), app, ...task],
    environment: launch.environment,
  }
}

/** What the application server says about its end; undefined: nothing, so that something else has ended it. */
export function reasonIn(errors: string): string | undefined {
  const mark = 'app-server: '
  return errors
    .split('\n')
    .find((line) => line.startsWith(mark))
    ?.slice(mark.length)
}
