import { hookEnvironment, type HookContext } from './hook-environment.js'
import type { Hooks } from './hooks.js'

export interface MonitoringCall {
  /** Name of the instance; it may no longer exist. */
  readonly name: string
  /** See docs/spec/wire-decisions.md, "monitoring reasons". */
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
  context: HookContext & { readonly clock: () => Date; readonly hooks: Hooks },
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

/** An instance whose settings can no longer be read must still be reported. */
async function environmentOf(context: HookContext, name: string): Promise<Readonly<Record<string, string>>> {
  const instance = context.registry.find(name)
  if (!instance) return { USER: name }
  return hookEnvironment(context, instance).catch(() => ({ USER: name }))
}
