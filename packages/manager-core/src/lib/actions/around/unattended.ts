import type { ManagerError } from '../../../errors.js'
import type { ActionResult } from '../../action.js'
import { mailFailure } from '../../mail/mail-failure.js'
import type { Layer } from './performance.js'

/** `APPS_EMAIL` gets a mail when an unattended action fails. */
export const unattended: Layer = async (performance, rest) => {
  const { context, action, caller } = performance
  if (caller.surface !== 'schedule') return rest(performance)
  const subject = `${action.name} failed`
  let result: ActionResult
  try {
    result = await rest(performance)
  } catch (error) {
    const { message, help, output } = error as ManagerError
    await mailFailure(context, { subject, text: lines(message, help, output) })
    throw error
  }
  if (!result.exitCode || action.mailsItself) return result
  const { message, warnings = [], list = [] } = result
  const entries = list.map((entry) => Object.values(entry as object).join('  '))
  const problem = await mailFailure(context, { subject, text: lines(message, ...warnings, ...entries) })
  if (problem === undefined) return result
  return { ...result, warnings: [...warnings, `The failure could not be mailed: ${problem}`] }
}

function lines(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== '').join('\n')
}
