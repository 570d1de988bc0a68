import type { ManagerContext } from '../context.js'
import { hookEnvironment } from './hook-environment.js'

export interface MonitoringCall {
  /** Name of the instance; one that is not there any more can be told of, too. */
  readonly name: string
  /** See wire-decisions, "monitoring reasons". */
  readonly reason: string
  /** For people; on standard input. */
  readonly message?: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Calls the hook `monitoring.sh` with the name of the instance and the reason. Never rejects.
 *
 * @returns why it did not do its work; undefined: it did, or there is none
 */
export async function callMonitoringHook(
  context: Pick<ManagerContext, 'clock' | 'home' | 'hooks' | 'registry' | 'settings'>,
  { name, reason, message, signal }: MonitoringCall,
): Promise<string | undefined> {
  const time = context.clock().toISOString()
  try {
    const { problem } = await context.hooks.run({
      hook: 'monitoring',
      args: [name, reason],
      environment: await environmentOf(context, name),
      input: { action: 'monitoring', name, reason, time, ...(message !== undefined && { message }) },
      ...(signal && { signal }),
    })
    return problem
  } catch (error) {
    return `monitoring.sh could not be called: ${(error as Error).message}`
  }
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
