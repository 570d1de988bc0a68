import type { ManagerError } from '../../errors.js'
import type { Action, ActionResult } from '../action.js'
import type { ManagerContext } from '../context.js'
import { mailFailure } from '../mail/mail-failure.js'

/** They tell of each instance themselves. */
const mailing: ReadonlySet<string> = new Set(['upgradeall', 'saveall', 'checksaves', 'prove'])

/** Performs an action while nobody looks: `APPS_EMAIL` is told when it fails. Rejects with what it rejects with. */
export async function performUnattended(
  context: ManagerContext,
  { name }: Pick<Action, 'name'>,
  work: () => Promise<ActionResult>,
): Promise<ActionResult> {
  const subject = `${name} failed`
  let result: ActionResult
  try {
    result = await work()
  } catch (error) {
    const { message, help, output } = error as ManagerError
    await mailFailure(context, { subject, text: lines(message, help, output) })
    throw error
  }
  if (!result.exitCode || mailing.has(name)) return result
  const { message, warnings = [], list = [] } = result
  const entries = list.map((entry) => Object.values(entry as object).join('  '))
  const problem = await mailFailure(context, { subject, text: lines(message, ...warnings, ...entries) })
  if (problem === undefined) return result
  return { ...result, warnings: [...warnings, `The failure could not be mailed: ${problem}`] }
}

function lines(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== '').join('\n')
}
