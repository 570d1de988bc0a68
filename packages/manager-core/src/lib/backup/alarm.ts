import type { ManagerContext } from '../context.js'
import { callMonitoringHook } from '../hooks/monitoring-hook.js'
import { mailFailure } from '../mail/mail-failure.js'

/**
 * Why `monitoring.sh` is called because of saves. Not specified; chosen, see docs/spec/wire-decisions.md, "monitoring
 * reasons".
 */
export type SaveReason = 'save-failed' | 'copy-failed' | 'save-missing' | 'proof-failed'

export interface Alarm {
  readonly subject: string
  /** Text of the mail. Without secrets. */
  readonly text: string
  /** The hook is called for each. */
  readonly instances: readonly { readonly name: string; readonly reason: SaveReason; readonly message: string }[]
}

/**
 * Reports automatic saves that failed or are missing: by one mail to APPS_EMAIL, and by `monitoring.sh` with the name of
 * the instance and the reason. Never rejects.
 *
 * @returns why a recipient could not be notified, for the warnings of the action
 */
export async function raiseAlarm(
  context: Pick<ManagerContext, 'clock' | 'home' | 'hooks' | 'mailer' | 'registry' | 'settings'>,
  { subject, text, instances }: Alarm,
): Promise<readonly string[]> {
  const problems: string[] = []
  const mailed = await mailFailure(context, { subject, text })
  if (mailed !== undefined) problems.push(`The failure could not be mailed: ${mailed}`)
  for (const call of instances) {
    const problem = await callMonitoringHook(context, call)
    if (problem !== undefined) problems.push(`${call.name}: ${problem}`)
  }
  return problems
}
