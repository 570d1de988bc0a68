import { ManagerError } from '../../errors.js'
import { accountAt } from '../accounts/account.js'
import { changesOf, checkApplication, type DatabaseLoss } from '../application/check-application.js'
import { specOf } from '../application/instance-spec.js'
import { problemList } from '../application/problem-list.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { failureOf } from '../system/failure.js'

/** What a start of the new application will do with the database. */
export type UpgradeCheck = {
  /** Descriptions of the changes; null: the application's own server cannot list them. */
  readonly changes: readonly string[] | null
  /** What only a destructive change loses. */
  readonly losses: readonly DatabaseLoss[]
}

export interface CheckUpgradeOptions {
  /** Folder of the new application. */
  readonly template: string
  /** Values may be lost. Default: refused. */
  readonly destructive?: boolean
}

/**
 * Looks, while the instance runs, whether the new application can be loaded and the live database be brought in step with
 * it. It is loaded by its own server, in the instance's environment; nothing is changed.
 *
 * @throws ManagerError ERR_STATE when a start would fail; the instance was not touched
 */
export async function checkUpgrade(
  context: ManagerContext,
  instance: Instance,
  { template, destructive = false }: CheckUpgradeOptions,
): Promise<UpgradeCheck> {
  const refuse = (why: string, options?: ConstructorParameters<typeof ManagerError>[2]) =>
    new ManagerError('ERR_STATE', `Instance "${instance.name}" was not upgraded: ${why}`, options)
  const { folder, data } = context.home.instance(instance.id)
  const { environment } = await specOf(context, instance, { app: template })
  const options = { app: template, environment, data, account: accountAt(folder) }
  const checked = await checkApplication(context, options).catch((error: unknown) => {
    const { message, help, output } = failureOf(error)
    throw refuse(message, {
      cause: error,
      ...(help !== undefined && { help }),
      ...(output !== undefined && { output }),
    })
  })
  if (!checked && destructive)
    throw refuse('the data it would lose cannot be determined.', {
      help: 'Upgrade it without --destructive.',
    })
  if (!checked) return { changes: null, losses: [] }
  const correct = 'Correct the template, then run: manager refresh'
  if (checked.problems.length > 0)
    throw refuse(`the new application cannot be served: ${problemList(checked.problems)}`, { help: correct })
  const { steps = [], losses = [], refusal } = checked.database ?? {}
  // They may be there for what is found here, so that only the start can refuse it.
  const isEstimate = checked.migrations?.some(({ when }) => when === 'before') ?? false
  if (refusal !== undefined && !isEstimate) throw refuse(refusal)
  if (!destructive && !isEstimate && steps.some((step) => step.destructive)) {
    const lost = losses.filter(({ description }) => steps.some((step) => step.description === description))
    throw refuse(`data could be lost. ${problemList(lost.map(lossText))}`, {
      help: 'Revert the change in the template, or allow it for this upgrade with --destructive.',
      command: `upgrade ${instance.name} --destructive --dry-run`,
    })
  }
  return { changes: changesOf(checked), losses: destructive ? losses : [] }
}

/** What an attempt is refused with; undefined: it is not. */
export async function whyNotUpgraded(attempt: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt()
    return undefined
  } catch (error) {
    return failureOf(error).message
  }
}

/** `drop column customer.fax: 12 of 12 values are lost` */
export function lossText({ description, values, lost }: DatabaseLoss): string {
  return `${description}: ${lost} of ${values} values ${lost === 1 ? 'is' : 'are'} lost`
}

/** What a person is shown before. */
export function checkNotes({ changes, losses }: UpgradeCheck): readonly string[] {
  if (changes === null) return ['The application does not report its changes to the database.']
  const lossy = new Set(losses.map(({ description }) => description))
  const kept = changes.filter((description) => !lossy.has(description))
  return [
    ...kept.map((description) => `Database: ${description}.`),
    ...losses.map((loss) => `Database: ${lossText(loss)}.`),
    ...(changes.length + losses.length === 0 ? ['The database does not change.'] : []),
  ]
}
