import type { ManagerContext, StepRun } from '../context.js'
import type { InstanceRef } from '../runtime/runtime.js'

/**
 * Works while an instance is frozen, at most APPS_SUSPENDMAX: then it resumes, and a warning says that what was read may
 * be of two moments. The journal has it already that the instance must be resumed.
 */
export async function whileSuspended<T>(run: StepRun, ref: InstanceRef, work: () => Promise<T>): Promise<T> {
  const { context, warn } = run
  const { suspendMaxMs } = context.settings.global
  let resumed = Promise.resolve()
  const timer = setTimeout(() => {
    resumed = resumeSource(context, ref)
    resumed.catch(() => {})
    warn(
      `It took longer than APPS_SUSPENDMAX (${suspendMaxMs / 1000} s), so the instance was resumed early and the ` +
        'data may be inconsistent.',
    )
  }, suspendMaxMs)
  try {
    await context.runtimes.of(ref).suspend?.(ref, { maxMs: suspendMaxMs })
    return await work()
  } finally {
    clearTimeout(timer)
    await resumed
    await resumeSource(context, ref)
  }
}

/** May be repeated. */
export async function resumeSource({ runtimes }: ManagerContext, ref: InstanceRef): Promise<void> {
  await runtimes.of(ref).resume?.(ref)
}
