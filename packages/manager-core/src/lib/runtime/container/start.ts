import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolder } from '../../accounts/places.js'
import { ManagerError } from '../../../errors.js'
import { accountAt } from '../../accounts/account.js'
import { languageEnvironment } from '../../accounts/environment.js'
import { checkAccount } from '../../accounts/system-accounts.js'
import { instanceHomeAt } from '../../domain/home.js'
import { readForeignFile } from '../../accounts/foreign.js'
import { runFolderOf, servingCopy } from '../copies.js'
import { layOut, supervisedVariables, underWayMs } from '../launch.js'
import { heapOf } from '../limits/heap.js'
import { writeLimits } from '../limits/confine.js'
import type { LimitName, LimitedBy } from '../limits/limits.js'
import { hasRunFile, putRunFile, removeRunFiles } from '../run-files.js'
import type { InstanceSpec } from '../runtime.js'
import {
  bodyOf,
  engineCgroups,
  entryName,
  environmentName,
  memoryOf,
  nameOf,
  restarts,
  type BodyOptions,
} from './body.js'
import type { ContainerEngine } from './engine.js'
import { entryScript } from './entry-script.js'
import { environmentFile } from './environment-file.js'
import { findContainer, isUp } from './look.js'
import { labels } from './names.js'
import { lend } from './who.js'

/**
 * Makes the container of a copy of an instance, unless it runs or is there as it should be. May be repeated.
 *
 * @returns whether it runs
 */
export async function make(engine: ContainerEngine, spec: InstanceSpec, options: BodyOptions): Promise<boolean> {
  const found = await findContainer(engine, spec, spec.copy ?? servingCopy(spec.folder))
  if (isUp(found?.State.Status)) return true
  if (!existsSync(spec.workingFolder))
    throw new ManagerError('ERR_FAILED', `Cannot start the application: folder not found: ${spec.workingFolder}`)
  layOut(spec)
  const run = runFolderOf(spec)
  await makeFolder(instanceHomeAt(spec.folder).data, 0o700)
  if (readForeignFile(join(run, entryName)) !== entryScript) putRunFile(run, entryName, entryScript)
  const body = bodyOf(spec, options)
  const name = nameOf(spec)
  if (found?.Config.Labels[labels.made] === body.Labels[labels.made]) return false
  if (found) await engine.ask('DELETE', `/containers/${found.Id}`, { query: { force: 'true' }, besides: [404] })
  // Another process was first.
  await engine.ask('POST', '/containers/create', { query: { name }, body, besides: [409] })
  return false
}

export interface StartContainerOptions {
  /** How long the debugger is open; undefined: it is not. */
  readonly debugMinutes: number | undefined
  /** What the network makes of the environment. */
  readonly placed: Readonly<Record<string, string>>
}

/** Starts one that was made; resolves when the application has a process, or had one. */
export async function startContainer(
  engine: ContainerEngine,
  spec: InstanceSpec,
  { debugMinutes, placed }: StartContainerOptions,
): Promise<void> {
  const run = runFolderOf(spec)
  const account = accountAt(spec.folder)
  if (account) checkAccount(account)
  removeRunFiles(run, ['application', 'exit', 'crashed', 'debugger', 'suspended'])
  const environment = {
    ...inContainer(spec),
    ...spec.environment,
    ...placed,
    ...supervisedVariables(spec, debugMinutes),
  }
  putRunFile(run, environmentName, environmentFile(environment))
  writeLimits(run, limitsOf(spec))
  putRunFile(run, 'supervisor', 'container\n')
  await lend(spec)
  const path = `/containers/${nameOf(spec)}`
  try {
    // An engine that cannot do it, as Podman 4, starts no container again by itself.
    await engine.ask('POST', `${path}/update`, { body: { RestartPolicy: restarts.always }, besides: [404] })
    await engine.ask('POST', `${path}/start`, { besides: [304] })
  } catch (error) {
    removeRunFiles(run, ['supervisor'])
    throw error
  }
  await underWay(engine, spec)
}

/** Its `PATH` is the image's. */
function inContainer({ folder }: InstanceSpec): Record<string, string> {
  return { ...languageEnvironment(), HOME: instanceHomeAt(folder).data }
}

function limitsOf(spec: InstanceSpec): (name: LimitName) => readonly [number | undefined, LimitedBy] {
  const { limits = {} } = spec
  return (name) => {
    if (name === 'heap') return [heapOf(spec, engineCgroups), 'node']
    if (name === 'memory') return [memoryOf(spec), 'cgroup']
    return [limits[name], name === 'files' ? 'rlimit' : 'cgroup']
  }
}

/** @throws ManagerError ERR_FAILED with what the container said, when it ended without having come to the application */
async function underWay(engine: ContainerEngine, spec: InstanceSpec): Promise<void> {
  const run = runFolderOf(spec)
  const isThere = () => (['application', 'exit', 'crashed'] as const).some((file) => hasRunFile(run, file))
  const begin = performance.now()
  for (let times = 1; performance.now() - begin < underWayMs; times++) {
    if (isThere()) return
    await sleep(5)
    if (times % 20 > 0) continue
    const found = await findContainer(engine, spec, spec.copy ?? servingCopy(spec.folder))
    if (found?.State.Status === 'running' || isThere()) continue
    const said = await engine.outputOf(nameOf(spec))
    throw new ManagerError('ERR_FAILED', `The container ended before it started the application${said && `: ${said}`}`)
  }
}
