import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ManagerError } from '../../../errors.js'
import { accountAt } from '../../accounts/account.js'
import { endAllOf } from '../../accounts/end-all-of.js'
import { removeTree } from '../../accounts/remove-tree.js'
import { instanceHomeAt } from '../../domain/home.js'
import { copiesOf, runFolderOf, servingCopy, setServingCopy } from '../copies.js'
import { exclusively } from '../exclusively.js'
import { layOut, usualPolicy, type RestartPolicy } from '../launch.js'
import { limitsOf } from '../limits/confine.js'
import { whyEnded } from '../limits/why-ended.js'
import { followLog } from '../log-reader.js'
import { applicationLog } from '../look.js'
import { readApplication, readDebugger, readExit } from '../run-files.js'
import type { Copy, InstanceRef, Runtime } from '../runtime.js'
import { translated } from '../translated.js'
import type { BodyOptions } from './body.js'
import { endContainer } from './end.js'
import { createContainerEngine } from './engine.js'
import { imageOf } from './image.js'
import { findContainer, isUp, runsSince, stateOf, type ContainerStatus } from './look.js'
import { containerName, homeIdIn, labels } from './names.js'
import { placedOn } from './network.js'
import { goOn, pause } from './pause.js'
import { processesOf } from './processes.js'
import { make, startContainer } from './start.js'
import { usageOf } from './usage.js'
import { takeBack, userOf } from './who.js'

export interface ContainerRuntimeOptions {
  /** Socket of the engine. */
  readonly socket: string
  /** Image of all containers. Default: one that is made from this machine's own Node. */
  readonly image?: string | undefined
  /** `host`, or the name of a network of the engine. */
  readonly network: string
  readonly restart?: RestartPolicy
  /** How long a debugger stays open. Default 30. */
  readonly debugMinutes?: number
}

interface ListedContainer {
  readonly Names: readonly string[]
  readonly State: ContainerStatus
  readonly Labels: Readonly<Record<string, string>>
}

/** Its name as it is asked for. */
function plain([name = '']: readonly string[]): string {
  return name.replace(/^\//, '')
}

/**
 * Runs instances in containers of Docker's engine: their folders are mounted where they are, so that what saves, clones
 * and upgrades them finds them as always. In each is the supervisor that processes have.
 */
export function createContainerRuntime({
  socket,
  image: wanted,
  network,
  restart = usualPolicy,
  debugMinutes = 30,
}: ContainerRuntimeOptions): Runtime {
  const engine = createContainerEngine(socket)
  const copyOf = ({ folder, copy }: InstanceRef): Copy => copy ?? servingCopy(folder)
  const find = (ref: InstanceRef) => findContainer(engine, ref, copyOf(ref))

  async function options(signal?: AbortSignal): Promise<BodyOptions> {
    return { image: await imageOf(engine, { wanted, signal }), network, policy: restart }
  }

  /** All containers of a home. */
  async function listOf(home: string): Promise<readonly ListedContainer[]> {
    const filters = JSON.stringify({ label: [`${labels.home}=${home}`] })
    return (
      (await engine.ask<readonly ListedContainer[]>('GET', '/containers/json', { query: { all: '1', filters } })) ?? []
    )
  }

  /** States of all containers of these instances' homes, by their names. */
  async function list(refs: readonly InstanceRef[]): Promise<ReadonlyMap<string, ContainerStatus>> {
    const homes = new Set(refs.map(({ folder }) => homeIdIn(dirname(folder))))
    const found = await Promise.all([...homes].map(listOf))
    return new Map(found.flat().map(({ Names, State }) => [plain(Names), State]))
  }

  return {
    name: 'container',
    capabilities: Object.freeze({
      parallelCopies: true,
      suspend: true,
      limits: true,
      bootStart: true,
      nativeRollback: false,
      // They have numbers of their own in it.
      processes: false,
      debug: network === 'host',
    }),
    async probe() {
      try {
        const found = await engine.ask<{ readonly Version?: string }>('GET', '/version')
        return { ok: true, message: `Instances run in containers (engine ${found?.Version} at ${socket}).` }
      } catch (error) {
        if (!ManagerError.is(error)) throw error
        return { ok: false, message: [error.message, error.help].filter(Boolean).join(' ') }
      }
    },
    // On the host's network its program listens; else a proxy of the engine does, or rules of the kernel are in its place.
    ownerOfPort: ({ folder }) =>
      network === 'host' ? { uids: [userOf(folder).uid] } : { uids: [statSync(socket).uid], forwarded: true },
    howLimited: () => 'Limits of memory, CPU and processes apply to a container as a whole (cgroup of the engine).',
    define: (spec) =>
      translated(spec, 'prepare', async () => {
        await placedOn(engine, network, spec.environment)
        await make(engine, spec, await options())
      }),
    async undefine(ref) {
      const found = await Promise.all(
        copiesOf(ref).map(async (copy) => ({ copy, container: await findContainer(engine, ref, copy) })),
      )
      if (found.some(({ container }) => isUp(container?.State.Status)))
        throw new ManagerError('ERR_STATE', `Instance ${ref.id} is running. Stop it first.`)
      if (ref.copy === undefined) await endAllOf(accountAt(ref.folder))
      for (const { copy, container } of found) {
        if (container) await engine.ask('DELETE', `/containers/${container.Id}`, { besides: [404] })
        await removeTree(runFolderOf({ ...ref, copy }), accountAt(ref.folder))
      }
    },
    async start(spec, { debug = false, signal } = {}) {
      signal?.throwIfAborted()
      const startNow = async () => {
        const placed = await placedOn(engine, network, spec.environment)
        if (await make(engine, spec, await options(signal))) return
        signal?.throwIfAborted()
        try {
          await startContainer(engine, spec, { debugMinutes: debug ? debugMinutes : undefined, placed })
          signal?.throwIfAborted()
        } catch (error) {
          // The engine would start it again and again. Where it does not answer, the first error says so.
          await endContainer(engine, { ...spec, copy: copyOf(spec) }, 0).catch(() => undefined)
          throw error
        }
      }
      await translated(spec, 'start', async () => {
        layOut(spec)
        await exclusively(spec, 'start', startNow, signal)
      })
    },
    async stop(ref, { graceMs, force = false }) {
      const endAll = async (grace: number) => {
        const exits = await Promise.all(copiesOf(ref).map((copy) => endContainer(engine, { ...ref, copy }, grace)))
        const { id, folder } = ref
        const left = await Promise.all((['a', 'b'] as const).map((copy) => findContainer(engine, { id, folder }, copy)))
        if (!left.some((each) => isUp(each?.State.Status))) await takeBack(ref)
        return exits.find(({ wasRunning }) => wasRunning) ?? { wasRunning: false }
      }
      // Who forces does not wait for another's patience; where its folder is lost there is nothing to lock.
      const mayLock = !force && existsSync(instanceHomeAt(ref.folder).run)
      return translated(ref, 'stop', () =>
        mayLock ? exclusively(ref, 'stop', () => endAll(graceMs)) : endAll(force ? 0 : graceMs),
      )
    },
    suspend: (ref, { maxMs }) =>
      translated(ref, 'suspend', async () => {
        if ((await find(ref))?.State.Status === 'running')
          await pause(engine, containerName(ref, copyOf(ref)), { run: runFolderOf(ref), maxMs })
      }),
    resume: (ref) =>
      translated(ref, 'resume', async () => {
        if (await find(ref)) await goOn(engine, containerName(ref, copyOf(ref)), runFolderOf(ref))
      }),
    serving: async ({ folder }) => servingCopy(folder),
    serve: (ref, copy) => translated(ref, 'switch', async () => setServingCopy(ref.folder, copy)),
    async observe(ref) {
      const container = await find(ref)
      const run = runFolderOf(ref)
      const status = container?.State.Status
      const state = stateOf(status, run)
      const lastExit = readExit(run)
      const restarts = readApplication(run)?.restarts ?? lastExit?.restarts ?? 0
      const since = isUp(status) ? runsSince(run) : lastExit?.exit.at
      const limits = state === 'stopped' ? [] : limitsOf(run)
      const reason = lastExit && whyEnded(lastExit, limits, applicationLog(ref.folder))
      const debugAddress = isUp(status) ? readDebugger(run) : undefined
      return {
        state,
        // The engine starts a container again that ends, which starts the application.
        restarts: restarts + (isUp(status) ? (container?.RestartCount ?? 0) : 0),
        pids: [],
        ...(since !== undefined && { since }),
        ...(lastExit && { lastExit: { ...lastExit.exit, ...(reason !== undefined && { reason }) } }),
        ...(limits.length > 0 && { limits }),
        ...(debugAddress !== undefined && { debugAddress }),
        ...(!container && { missing: `container ${containerName(ref, copyOf(ref))}` }),
      }
    },
    async observeAll(refs) {
      const found = await list(refs)
      return new Map(refs.map((ref) => [ref.id, stateOf(found.get(containerName(ref, copyOf(ref))), runFolderOf(ref))]))
    },
    processes: (ref) => processesOf(engine, containerName(ref, copyOf(ref))),
    async processesBelow(instances) {
      // Without an engine there are no containers either, or they are unknown.
      const found = await listOf(homeIdIn(instances)).catch(() => [])
      const running = found.filter(({ State }) => isUp(State))
      const told = await Promise.all(
        running.map(
          async ({ Labels, Names }) =>
            [Labels[labels.instance] ?? '', await processesOf(engine, plain(Names))] as const,
        ),
      )
      return new Map([...Map.groupBy(told, ([id]) => id)].map(([id, all]) => [id, all.flatMap(([, each]) => each)]))
    },
    async usageAll(refs) {
      const found = await list(refs)
      const named = refs.map((ref) => [ref.id, containerName(ref, copyOf(ref))] as const)
      return usageOf(
        engine,
        named.filter(([, name]) => isUp(found.get(name))),
      )
    },
    logs: (ref, logOptions) => followLog(applicationLog(ref.folder), logOptions, accountAt(ref.folder)?.uid),
  }
}
