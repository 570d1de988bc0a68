import { ManagerError } from '../../errors.js'
import type { SystemAccount } from '../accounts/account.js'
import { runForeignProgram } from '../accounts/foreign-program.js'
import { isWebapp } from '../files/webapp.js'
import { redact } from '../runtime/redact.js'
import type { ServerContext } from '../servers/application-server.js'
import { applicationCommand, reasonIn } from './application-command.js'
import { withReadableCopy } from './readable-copy.js'

/** What `app-server --check` and `--plan` report about an application, before it is started. */
export interface ApplicationCheck {
  /** What is wrong with its files, each with file, line and column as far as they are known. */
  readonly problems: readonly string[]
  /** The package that keeps its documents; absent: they are in a folder. */
  readonly documentsPackage?: string
  /** What a start would do with its database. Only when that was asked for, and there are no problems. */
  readonly database?: DatabaseChanges
  /** Migrations that a start would run, before or after it changes tables. */
  readonly migrations?: readonly PendingMigration[]
}

export interface PendingMigration {
  readonly name: string
  readonly when: 'before' | 'after'
}

export interface DatabaseChanges {
  readonly steps: readonly { readonly description: string; readonly destructive: boolean }[]
  /** What only a destructive change would lose. */
  readonly losses?: readonly DatabaseLoss[]
  /** Why the rows do not allow the change at all. */
  readonly refusal?: string
}

export type DatabaseLoss = {
  readonly table: string
  readonly column: string
  /** `change column customer.name from string(80) to string(20)` */
  readonly description: string
  /** Rows that have a value. */
  readonly values: number
  /** Those whose value would be dropped, cut, rounded or emptied. */
  readonly lost: number
}

export interface CheckOptions {
  /** Folder of the application. */
  readonly app: string
  /** As it would have it when it runs. */
  readonly environment: Readonly<Record<string, string>>
  /** Its folder of data, to look at its database, too. Default: its files only. */
  readonly data?: string
  /** Whose processes run the instance. Default: this process's user. */
  readonly account?: SystemAccount | undefined
  readonly signal?: AbortSignal | undefined
}

/** Counting the rows of large tables takes its time, and the old version serves meanwhile. */
const timeout = 10 * 60_000
const maxOutput = 16 * 2 ** 20

/**
 * Has an application loaded by the program that would serve it, in a process of its own, which changes nothing.
 *
 * @returns undefined when the application has a server of its own that cannot check, as Java web applications have.
 * @throws ManagerError ERR_FAILED when its code ends or holds the process; ERR_DATABASE when the database cannot be read
 */
export async function checkApplication(
  context: ServerContext,
  options: CheckOptions,
): Promise<ApplicationCheck | undefined> {
  if (isWebapp(options.app)) return undefined
  return withReadableCopy(options.app, options.account, (app) => check(context, { ...options, app }))
}

async function check(
  context: ServerContext,
  { app, data, signal, ...options }: CheckOptions,
): Promise<ApplicationCheck | undefined> {
  const task = data === undefined ? ['--check'] : ['--plan', '--data', data]
  const { program, args, environment } = applicationCommand(context, { ...options, app, home: data ?? app }, task)
  let answer: ApplicationCheck | undefined
  const { stderr, ended } = await runForeignProgram({
    program,
    args,
    folder: app,
    environment,
    limitMs: timeout,
    longest: maxOutput,
    signal,
    // Timers of the application would keep the process alive.
    isEnough: (line) => (answer = answerIn(line)) !== undefined,
  })
  signal?.throwIfAborted()
  const errors = redact(stderr.trim()).slice(-2000)
  const reason = reasonIn(errors)
  // Instead of what app.yaml says, documents are where the settings of the instance say.
  const isPlaced = options.environment['STEWARD_DOCUMENTS'] !== undefined
  if (answer?.documentsPackage !== undefined && !isPlaced)
    return { ...answer, problems: [...answer.problems, keptElsewhere(answer)] }
  if (answer) return answer
  if (/unknown option '--(check|plan)'/.test(errors)) return undefined
  if (ended === 'late')
    throw new ManagerError('ERR_FAILED', `The application could not be checked in ${timeout / 60_000} minutes.`, {
      output: errors,
    })
  throw new ManagerError(
    reason === undefined ? 'ERR_FAILED' : 'ERR_DATABASE',
    reason ?? "The application's code ended the process that checks it.",
    { output: errors },
  )
}

/** What a start would do with the database, in its order. */
export function changesOf({ database, migrations = [] }: ApplicationCheck): string[] {
  const run = (time: PendingMigration['when']) =>
    migrations.filter(({ when }) => when === time).map(({ name }) => `run migration ${name}`)
  return [...run('before'), ...(database?.steps ?? []).map(({ description }) => description), ...run('after')]
}

/** Not built: saves would be without the documents, and a clone would tidy up those of its source. */
function keptElsewhere({ documentsPackage = '' }: ApplicationCheck): string {
  return `app.yaml: documents: those that the package ${documentsPackage} keeps are in no backup and cannot be cloned; leave it out, and set APPS_DOCUMENTS for documents in a bucket`
}

/** Code of the application may print, too. */
function answerIn(line: string): ApplicationCheck | undefined {
  if (!line.startsWith('{"format":"steward-check"')) return undefined
  try {
    const value = JSON.parse(line) as ApplicationCheck & { readonly version?: number }
    return value.version === 1 ? value : undefined
  } catch {
    return undefined
  }
}
