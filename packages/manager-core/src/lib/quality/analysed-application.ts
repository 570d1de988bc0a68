import { accountAt, type SystemAccount } from '../accounts/account.js'
import { applicationCommand, reasonIn } from '../application/application-command.js'
import { specOf } from '../application/instance-spec.js'
import type { ManagerContext } from '../context.js'
import { ManagerError } from '../../errors.js'
import type { Instance } from '../domain/instance.js'
import { isWebapp, notForWebapps } from '../files/webapp.js'
import { redact } from '../runtime/redact.js'
import type { AnalysedApplication, QualityIssue, QualityModule } from './quality-server.js'
import { runTool } from './run-tool.js'

/** An application, its structure, and how its code is run. */
export interface LintedApplication extends AnalysedApplication {
  readonly modules: readonly QualityModule[]
  /** What the lint could not look at, and why. */
  readonly skipped: readonly string[]
  /** As the instance has it, with secrets. */
  readonly environment: Readonly<Record<string, string>>
  readonly data: string
  readonly account: SystemAccount | undefined
}

/** What `app-server --lint --json` prints. */
interface Lint {
  readonly format: string
  readonly modules: readonly QualityModule[]
  readonly findings: readonly QualityIssue[]
  readonly skipped: readonly string[]
}

/**
 * Asks the application server of an instance for the structure of its application, and what its lint finds: the manager knows
 * nothing about objects.
 *
 * @throws ManagerError ERR_STATE for a Java web application, ERR_FAILED when its code ends the process
 */
export async function lintInstance(
  context: ManagerContext,
  instance: Instance,
  { signal, timeoutMs }: { readonly signal?: AbortSignal | undefined; readonly timeoutMs: number },
): Promise<LintedApplication> {
  const { folder, app, data } = context.home.instance(instance.id)
  if (isWebapp(app)) throw notForWebapps(app, 'Code quality is analysed for applications for Node only.')
  const { environment } = await specOf(context, instance)
  const account = accountAt(folder)
  const command = applicationCommand(context, { app, environment: {}, home: data }, [
    '--lint',
    '--records',
    '--json',
    '--data',
    data,
  ])
  const { stdout, stderr } = await runTool(process.execPath, command.args, {
    folder: app,
    environment,
    account,
    home: data,
    timeoutMs,
    signal,
  })
  const lint = lintIn(stdout)
  if (lint)
    return {
      instance,
      folder: app,
      findings: lint.findings,
      modules: lint.modules,
      skipped: lint.skipped.map(redact),
      environment,
      data,
      account,
    }
  const errors = redact(stderr.trim()).slice(-2000)
  if (errors.includes("unknown option '--lint'"))
    throw new ManagerError('ERR_STATE', `The application server of "${instance.name}" is too old for an analysis.`, {
      command: `upgrade ${instance.name}`,
    })
  throw new ManagerError(
    'ERR_FAILED',
    reasonIn(errors) ?? 'The code of the application ended the process that analysed it.',
    { output: errors },
  )
}

/** The last line that is an answer: code of the application may print, too. */
function lintIn(output: string): Lint | undefined {
  const line = output
    .trimEnd()
    .split('\n')
    .findLast((each) => each.startsWith('{"format":"steward-lint","version":1,'))
  try {
    return line === undefined ? undefined : (JSON.parse(line) as Lint)
  } catch {
    return undefined
  }
}
