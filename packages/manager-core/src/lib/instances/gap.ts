import { join, sep } from 'node:path'
import { describeApplication, type ApplicationDescription } from '../anonymise/application.js'
import { healthPlace } from '../application/health-place.js'
import { specOf } from '../application/instance-spec.js'
import type { ManagerContext, Step } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { checkHealth } from '../runtime/health.js'
import type { Copy } from '../runtime/runtime.js'
import { failureOf } from '../system/failure.js'
import { freePort } from './ports.js'

/** How one copy of an instance takes the place of another. */
export type Handing =
  | WithoutGap
  /** It does not answer for a moment; why: a part of a sentence. `usual`: always so here, without a warning. */
  | { readonly gap: string; readonly usual?: true }

/** Two copies can run: there is no moment in which none answers. */
export type WithoutGap = {
  readonly gap: null
  /** Which copy serves, at which port. */
  readonly serving: Copy
  readonly port: number
  /** Its runtime replaces its tasks one after the other: there is one copy. */
  readonly rolling?: true
}

/**
 * Whether a copy of an instance that runs may be started beside it: the runtime and the reverse proxy can do it, and no
 * data are changed by the start. For that the application that is to run must have the data model of the one that runs.
 *
 * @param app folder of the application that is to run, when it is not the instance's
 */
export async function handingOf(context: ManagerContext, instance: Instance, app?: string): Promise<Handing> {
  const { home, runtimes, settings } = context
  const { id, port } = instance
  const runtime = runtimes.of(instance)
  const ref = { id, folder: home.instance(id).folder }
  // One address, whose tasks are replaced.
  const isRolling = runtime.roll !== undefined && ((await settings.instance(ref.folder)).replicas ?? 1) > 1
  if (!isRolling && !settings.global.proxy.enabled)
    return { gap: 'instances are not published by a reverse proxy (APPS_PROXY=no)', usual: true }
  if (!runtime.capabilities.parallelCopies || !runtime.serving)
    return { gap: `two copies of it cannot run (runtime ${runtime.name})` }
  const { state } = await runtime.observe(ref)
  if (state !== 'started') return { gap: `it is ${state}` }
  const { ok, reason, sections } = await checkHealth(healthPlace(context, instance))
  if (!ok) return { gap: `it is not healthy (${reason})` }
  const problem = await modelProblem(context, instance, sections['application']?.['model'], app)
  if (problem !== undefined) return { gap: problem }
  if (isRolling) return { gap: null, serving: await runtime.serving(ref), port, rolling: true }
  try {
    await freePort(context)
  } catch (error) {
    return { gap: failureOf(error).message.replace(/\.$/, '') }
  }
  return { gap: null, serving: await runtime.serving(ref), port }
}

/** Messages for people: before it is done, and afterwards. */
export function gapNote(handing: Handing): string {
  if (handing.gap !== null) return `Short downtime: ${handing.gap}.`
  return handing.rolling
    ? 'No downtime: its tasks are replaced one after the other.'
    : 'No downtime: a second copy takes over when it is healthy.'
}

/** The same step, which warns of its downtime, unless that is usual. */
export function tellGap(step: Step, handing: Handing): Step {
  if (handing.gap !== null && handing.usual) return step
  return {
    ...step,
    do(run) {
      run.warn(gapNote(handing))
      return step.do(run)
    },
  }
}

async function modelProblem(
  context: ManagerContext,
  instance: Instance,
  running: string | undefined,
  app: string | undefined,
): Promise<string | undefined> {
  const { home } = context
  const { folder, app: own, data } = home.instance(instance.id)
  const unknown = 'its application server does not describe its data model'
  if (running === undefined) return unknown
  let next: ApplicationDescription
  let isInBucket: boolean
  try {
    const { environment } = await specOf(context, instance)
    isInBucket = environment['STEWARD_DOCUMENTS'] !== undefined
    next = await describeApplication(context, app ?? own, { folder, settings: { others: environment } })
  } catch {
    return unknown
  }
  if (next.model === undefined) return unknown
  if (next.model !== running) return 'the data model or the application server changes, so data may be migrated'
  // Those of the new one would be below a folder that is only there for a while.
  if (app !== undefined && !isInBucket && !`${next.documents}${sep}`.startsWith(join(data, sep)))
    return 'its documents are kept in the folder of the application'
  return undefined
}
