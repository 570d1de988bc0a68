import { accountAt, asAccountWith } from '../accounts/account.js'
import { plainEnvironment } from '../accounts/environment.js'
import { runForeignProgram } from '../accounts/foreign-program.js'
import type { Step } from '../context.js'
import { redact } from '../runtime/redact.js'
import { applicationServerOf } from '../servers/application-server.js'
import { stageOf } from './stage.js'

const timeout = 120_000
const maxOutput = 16 * 2 ** 20

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
      const { code, stderr } = await runForeignProgram({
        program,
        args: [...before, server, app, '--data', data, '--reset-admin'],
        environment: { ...(account === undefined && process.env), ...environment },
        limitMs: timeout,
        longest: maxOutput,
        signal,
      })
      signal.throwIfAborted()
      if (code !== 0)
        run.warn(`The password of its administrator "${own.adminUser}" was not changed: ${redact(lastLineOf(stderr))}`)
    },
    // It goes with the database.
    check: () => 'not-done',
  }
}

function lastLineOf(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
