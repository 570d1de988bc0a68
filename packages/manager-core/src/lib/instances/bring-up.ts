import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { isRunning } from '../domain/instance.js'
import { causeOf, reasonIn } from '../logs/cause-of.js'
import { waitForHealth, type Health, type HealthPlace } from '../runtime/health.js'
import { describeHolder } from '../system/port-holder.js'
import { ownerOfPort } from '../runtime/owner-of-port.js'
import { redact } from '../runtime/redact.js'
import type { InstanceRef, InstanceSpec, Observation, Runtime } from '../runtime/runtime.js'
import { becomesFree } from '../system/port.js'
import { checkIsolated } from './account-step.js'

export interface BringUpOptions {
  /** The instance's name, for messages. */
  readonly name: string
  /** How long it must stay healthy, in ms. Default: one healthy answer is enough. */
  readonly windowMs?: number | undefined
  readonly debug?: boolean | undefined
  readonly signal: AbortSignal
  /** Called when it is under way. */
  readonly onStarting?: () => void
}

/**
 * Starts it, unless it runs, and waits until it is healthy, and stays so for `windowMs`.
 *
 * @returns `started`, or `degraded` when it runs without its supervisor.
 * @throws ManagerError ERR_STATE when its port is taken; ERR_HEALTH with the lines of its log that say why
 */
export async function bringUp(
  { runtimes, settings, home }: ManagerContext,
  spec: InstanceSpec,
  { name, windowMs = 0, debug = false, signal, onStarting }: BringUpOptions,
): Promise<'started' | 'degraded'> {
  checkIsolated({ settings, home }, name, spec.folder)
  const runtime = runtimes.of(spec)
  await makeReady(runtime, spec)
  if (!isRunning((await runtime.observe(spec)).state) && !(await becomesFree(spec.port)))
    throw new ManagerError(
      'ERR_STATE',
      `"${name}" cannot start: its port ${spec.port} is used by another program${describeHolder(spec.port)}.`,
      {
        help: `Stop the program that listens on 127.0.0.1:${spec.port}, then start the instance again.`,
      },
    )
  await runtime.define(spec)
  const { debug: always = false } = await settings.instance(spec.folder)
  await runtime.start(spec, { debug: debug || always, signal })
  onStarting?.()
  const { restarts } = await runtime.observe(spec)
  const stillRunning = async () => {
    const now = await runtime.observe(spec)
    return isRunning(now.state) && now.restarts === restarts && !isPausing(now)
  }
  // Two managers may choose the same port at the same time; the second must not accept the answer of the other's instance.
  const isOurs = async ({ sections }: Health) => {
    const pid = sections['process']?.['pid']
    if (pid === undefined || !runtime.capabilities.processes) return true
    return (await runtime.observe(spec)).pids.includes(Number(pid))
  }
  const { startTimeoutMs } = settings.global
  const place = { port: spec.port, owner: ownerOfPort(runtimes, spec), context: spec.tomcat?.context }
  const health = await waitForHealth(place, { timeoutMs: startTimeoutMs, signal, stillRunning, isOurs })
  const problem = health.ok
    ? await unsteadiness(place, { windowMs, stillRunning, signal, ended: () => howItEnded(runtime, spec) })
    : health.reason === 'not-deployed'
      ? 'Tomcat could not deploy its web application'
      : (await stillRunning())
        ? `it is not healthy after ${Math.round(startTimeoutMs / 1000)} s (${health.reason})`
        : await howItEnded(runtime, spec)
  // One without its supervisor serves all the same.
  if (problem === undefined) return (await runtime.observe(spec)).state === 'degraded' ? 'degraded' : 'started'
  const output = await causeInLog(runtime, spec)
  const reason = reasonIn(output)
  throw new ManagerError('ERR_HEALTH', `"${name}" did not start: ${problem}.`, {
    help: 'See its log for details.',
    command: `logs ${name}`,
    output,
    title: `${name} did not start`,
    ending: `${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}.`,
    ...(reason !== undefined && { reason }),
  })
}

/** A start that was asked for does not wait for the pause after a crash, nor for a save that was cut off. */
async function makeReady(runtime: Runtime, ref: InstanceRef): Promise<void> {
  const now = await runtime.observe(ref)
  if (now.state === 'suspended') await runtime.resume?.(ref)
  if (isPausing(now)) await runtime.stop(ref, { graceMs: 5000 })
}

/** It ended, and will be started again by itself. */
function isPausing({ state, lastExit }: Observation): boolean {
  return state === 'starting' && lastExit !== undefined
}

async function howItEnded(runtime: Runtime, ref: InstanceRef): Promise<string> {
  const { lastExit } = await runtime.observe(ref)
  return `its application ${lastExit?.reason ?? 'ended'} soon after its start`
}

/** What went wrong within the window; undefined: nothing. */
async function unsteadiness(
  place: HealthPlace,
  {
    windowMs,
    stillRunning,
    signal,
    ended,
  }: {
    readonly windowMs: number
    readonly stillRunning: () => Promise<boolean>
    readonly signal: AbortSignal
    readonly ended: () => Promise<string>
  },
): Promise<string | undefined> {
  const begin = performance.now()
  for (;;) {
    if (!(await stillRunning())) return ended()
    const left = windowMs - (performance.now() - begin)
    if (left <= 0) return undefined
    await sleep(Math.min(500, left), undefined, { signal })
    const health = await waitForHealth(place, { timeoutMs: 2000, signal, stillRunning })
    if (!health.ok) return `it was healthy, but no longer is (${health.reason})`
  }
}

/** The lines of its log that say why. */
export async function causeInLog(runtime: Runtime, ref: InstanceRef): Promise<string> {
  const lines: string[] = []
  for await (const line of runtime.logs(ref, { lines: 200 })) lines.push(redact(line))
  return causeOf(lines)
}
