import { join } from 'node:path'
import { foreignStats } from '../../accounts/foreign.js'
import type { Observed } from '../../domain/instance.js'
import { hasRunFile } from '../run-files.js'
import type { Copy, InstanceRef } from '../runtime.js'
import type { ContainerEngine } from './engine.js'
import { assertOurs, containerName } from './names.js'

/** The engine's description of a container, as far as it is used. */
export interface FoundContainer {
  readonly Id: string
  readonly RestartCount: number
  readonly State: {
    readonly Status: ContainerStatus
    readonly StartedAt: string
    readonly FinishedAt: string
    readonly ExitCode: number
    readonly OOMKilled: boolean
    readonly Pid: number
  }
  readonly Config: { readonly Labels: Readonly<Record<string, string>> }
}

export type ContainerStatus = 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead'

/** @throws ManagerError ERR_STATE for one that is not ours */
export async function findContainer(
  engine: ContainerEngine,
  ref: InstanceRef,
  copy: Copy,
): Promise<FoundContainer | undefined> {
  const name = containerName(ref, copy)
  const found = await engine.ask<FoundContainer>('GET', `/containers/${name}/json`, { besides: [404] })
  if (found) assertOurs(name, ref.folder, found.Config.Labels)
  return found
}

/** @param run the copy's folder `run/`, in which its supervisor says what it does */
export function stateOf(status: ContainerStatus | undefined, run: string): Observed {
  if (status === 'paused') return 'suspended'
  if (status === 'restarting') return 'starting'
  if (status === 'running') return hasRunFile(run, 'application') ? 'started' : 'starting'
  if (hasRunFile(run, 'crashed')) return 'crashed'
  // A supervisor that ends in order takes its record away before.
  return status !== undefined && status !== 'created' && hasRunFile(run, 'supervisor') ? 'crashed' : 'stopped'
}

export function isUp(status: ContainerStatus | undefined): boolean {
  return status === 'running' || status === 'paused' || status === 'restarting'
}

/** ISO 8601; since when the application runs. */
export function runsSince(run: string): string | undefined {
  return foreignStats(join(run, 'application'))?.mtime.toISOString()
}
