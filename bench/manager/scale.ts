import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createManager, fullGrant, type Manager } from '@steward/manager-core'
import { openBehindNginx, type BehindNginx } from './behind-nginx.ts'
import { applicationServer, defaultTemplate, median, processesOf, progress, residentMiB } from './commands.ts'
import type { Figure, Size } from './figure.ts'

const caller = { actor: 'bench', surface: 'cli', grant: fullGrant } as const
/** How long the server is watched, in s. */
const watchSeconds = 20

interface Costs {
  readonly list: number
  readonly publish: number
  readonly add: number
  /** Per instance. */
  readonly save: number
  readonly upgrade: number
  /** Memory of the server. */
  readonly memory: number
}

interface RunningCosts {
  /** CPU of the server in a round of monitoring, per instance that runs, in ms. */
  readonly round: number
  /** Memory of a running instance, in MiB. */
  readonly awake: number
}

/**
 * What grows with the number of instances served by one nginx: each is a real one, with its folder and database, stopped. Then
 * what those cost that run, while as many sleep.
 */
export async function benchScale({ rounds, instances }: Size): Promise<readonly Figure[]> {
  const few = await costsOf(10, rounds)
  const many = await costsOf(instances, rounds)
  const most = Math.max(10, Math.round(instances / 10))
  const least = Math.ceil(most / 10)
  const runningFew = await runningCostsOf(least)
  const runningMany = await runningCostsOf(most)
  const to = `${instances} instances (to: with 10)`
  const between = (title: string, key: keyof Costs, unit: 'ms' | 'MiB', atMost: number): Figure => ({
    title: `${title} with ${to}`,
    ours: many[key],
    peer: few[key],
    unit,
    atMost,
  })
  return [
    between('list', 'list', 'ms', 1.5),
    between('publishing one change', 'publish', 'ms', 1.5),
    between('add', 'add', 'ms', 1.5),
    between('nightly save, per instance,', 'save', 'ms', 1.2),
    between('nightly upgrade, per instance,', 'upgrade', 'ms', 1.2),
    between('memory of the server', 'memory', 'MiB', 1.5),
    {
      title: `CPU of a round of monitoring, per instance, with ${most} that run and as many asleep (to: ${least})`,
      ours: runningMany.round,
      peer: runningFew.round,
      unit: 'ms',
      atMost: 1.2,
    },
    {
      title: `memory of each of ${most} instances that run (to: of ${least})`,
      ours: runningMany.awake,
      peer: runningFew.awake,
      unit: 'MiB',
      atMost: 1.2,
    },
  ]
}

/** A manager with a private nginx in front, with that many instances that were never started. */
async function withInstances<T>(
  count: number,
  config: readonly string[],
  work: (behind: BehindNginx, manager: Manager) => Promise<T>,
): Promise<T> {
  const behind = await openBehindNginx(['export APPS_DEFAULTAUTOSAVE=yes', ...config])
  const manager = createManager({ home: behind.home.folder, applicationServer, defaultTemplate })
  try {
    await manager.perform('refresh', {}, caller)
    for (let n = 0; n < count; n++) {
      await manager.perform('add', { name: `instance${n}`, 'no-start': true }, caller)
      if (n % 100 === 99) progress(`${n + 1} instances`)
    }
    return await work(behind, manager)
  } finally {
    manager.close()
    await behind.close()
  }
}

async function costsOf(count: number, rounds: number): Promise<Costs> {
  return withInstances(count, [], async ({ home, serving }) => {
    const times: Record<'list' | 'publish' | 'add', number[]> = { list: [], publish: [], add: [] }
    for (let round = 0; round < rounds; round++) {
      times.list.push(await home.manager('list'))
      times.publish.push(await home.manager('seturl', 'instance0', `http://round${round}.localhost`))
      times.add.push(await home.manager('add', `more${round}`, '--no-start'))
    }
    const all = count + rounds
    const save = (await home.manager('saveall')) / all
    const upgrade = (await home.manager('upgradeall')) / all
    const memory = await serving(async (pid) => {
      await sleep(watchSeconds * 1000)
      return residentMiB(pid)
    })
    progress(`${count} instances: ${JSON.stringify({ ...times, save, upgrade, memory })}`)
    return { list: median(times.list), publish: median(times.publish), add: median(times.add), save, upgrade, memory }
  })
}

async function runningCostsOf(count: number): Promise<RunningCosts> {
  const config = ['export APPS_MONITORINTERVAL=10', 'export APPS_SLEEP_AFTER=86400']
  return withInstances(count * 2, config, async ({ home, serving }, manager) => {
    for (let n = 0; n < count * 2; n++) {
      await manager.perform('start', { name: `instance${n}` }, caller)
      if (n >= count) await manager.perform('sleep', { name: `instance${n}` }, caller)
    }
    const awake = processesOf(home.folder).reduce((sum, { pid }) => sum + residentMiB(pid), 0) / count
    const cpu = await serving(async (pid) => {
      await sleep(5000)
      const before = cpuMs(pid)
      await sleep(watchSeconds * 1000)
      return cpuMs(pid) - before
    })
    const round = cpu / (watchSeconds / 10) / count
    progress(`${count} that run: ${JSON.stringify({ awake, cpu, round })}`)
    return { round, awake }
  })
}

/** CPU of a process so far, in ms; a tick is 10 ms. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
