import { accountAt, asAccountWith } from '../accounts/account.js'
import { plainEnvironment } from '../accounts/environment.js'
import type { Step } from '../context.js'
import { redact } from '../runtime/redact.js'
import { applicationServerOf } from '../servers/application-server.js'
import { stageOf } from './stage.js'

const timeout = 120_000

/**
 * Gives the administrator of what is laid out the password of its settings: the user of an anonymised clone shall neither
 * need nor be able to use one of its source.
 */
export function administratorStep(): Step {
  return {
    id: 'administrator',
    title: "Set the administrator's password to that of its settings",
    async do(run) {
      const { context, signal } = run
      const { folder, app, data } = stageOf(run)
      const own = await context.settings.instance(folder)
      const server = applicationServerOf(context, app)
      const account = accountAt(folder)
      const { program, before, environment } = asAccountWith(account, process.execPath, {
        ...(account && plainEnvironment(data, account)),
        ...own.others,
        STEWARD_DATABASE: context.databases.server(own.database).url(context.databases.account(folder, own)),
        STEWARD_ADMIN_LOGIN: own.adminUser,
        STEWARD_ADMIN_PASSWORD: own.adminPassword.reveal(),
        STEWARD_NEUTRALISED: 'true',
        STEWARD_LOG_LEVEL: 'error',
      })
      const { execa } = await import('execa')
      const result = await execa(program, [...before, server, app, '--data', data, '--reset-admin'], {
        extendEnv: account === undefined,
        env: environment,
        timeout,
        stdin: 'ignore' as const,
        reject: false as const,
        cancelSignal: signal,
      })
      signal.throwIfAborted()
      if (result.failed)
        run.warn(
          `The password of its administrator "${own.adminUser}" was not changed: ${redact(lastLineOf(result.stderr))}`,
        )
    },
    // It goes with the database.
    check: () => 'not-done',
  }
}

function lastLineOf(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
