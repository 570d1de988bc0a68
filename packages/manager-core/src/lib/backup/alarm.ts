import type { ManagerContext } from '../context.js'
import { hookEnvironment } from '../hooks/hook-environment.js'
import { mailFailure } from '../mail/mail-failure.js'

/** Why `monitoring.sh` is called because of saves. Not specified; chosen, see wire-decisions, "monitoring reasons". */
export type SaveReason = 'save-failed' | 'copy-failed' | 'save-missing' | 'proof-failed'

export interface Alarm {
  readonly subject: string
  /** Of the mail. Without secrets. */
  readonly text: string
  /** The hook is called for each. */
  readonly instances: readonly { readonly name: string; readonly reason: SaveReason; readonly message: string }[]
}

/**
 * Tells of automatic saves that failed or are missing: by one mail to APPS_EMAIL, and by `monitoring.sh` with the name of
 * the instance and the reason. Never rejects.
 *
 * @returns why somebody could not be told, for the warnings of the action
 */
export async function raiseAlarm(
  context: Pick<ManagerContext, 'clock' | 'home' | 'hooks' | 'mailer' | 'registry' | 'settings'>,
  { subject, text, instances }: Alarm,
): Promise<readonly string[]> {
  const problems: string[] = []
  const mailed = await mailFailure(context, { subject, text })
  if (mailed !== undefined) problems.push(`The failure could not be mailed: ${mailed}`)
  const time = context.clock().toISOString()
  for (const { name, reason, message } of instances) {
    try {
      const { problem } = await context.hooks.run({
        hook: 'monitoring',
        args: [name, reason],
        environment: await environmentOf(context, name),
        input: { action: 'monitoring', name, reason, time, message },
      })
      if (problem !== undefined) problems.push(`${name}: ${problem}`)
    } catch (error) {
      problems.push(`${name}: monitoring.sh could not be called: ${(error as Error).message}`)
    }
  }
  return problems
}

/** Of an instance whose settings cannot be read any more it must still be told. */
async function environmentOf(
  context: Pick<ManagerContext, 'home' | 'registry' | 'settings'>,
  name: string,
): Promise<Readonly<Record<string, string>>> {
  const instance = context.registry.find(name)
  if (!instance) return { USER: name }
  return hookEnvironment(context as ManagerContext, instance).catch(() => ({ USER: name }))
}
