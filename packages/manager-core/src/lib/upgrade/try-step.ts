import { syncDestructively } from '../application/sync-database.js'
import type { Step } from '../context.js'
import { existing } from '../instances/existing.js'
import { startStep } from '../instances/runtime-steps.js'
import { lossText, type UpgradeCheck } from './check-upgrade.js'

export interface TryOptions {
  readonly instance: { readonly id: string; readonly name: string }
  /** Its home. */
  readonly folder: string
  readonly windowMs: number
  /** What the check of the upgrade found; null: nothing was checked. */
  readonly check: UpgradeCheck | null
}

/** Starts the new version, which may change data from its first moment on, and watches its health. */
export function tryStep({ instance, folder, windowMs, check }: TryOptions): Step {
  const start = startStep({ instance, folder, windowMs })
  const losses = check?.losses ?? []
  const begin = losses.length > 0 ? 'Change the database, losing data, then start' : 'Start'
  return {
    ...start,
    title: `${begin} the new version and watch its health for ${windowMs / 1000} s`,
    async do(run) {
      if (losses.length > 0) await syncDestructively(run.context, existing(run.context.registry, instance), run.signal)
      const started = (await start.do(run)) as { readonly started: boolean }
      return { ...started, lost: losses.map(lossText) }
    },
  }
}
