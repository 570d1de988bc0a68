import { cpSync, globSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseAccount } from '@steward/db-adapters/server'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JournalPoint } from '../operation/operation.js'
import { sqlite } from '../store/sqlite.js'
import { bundledManager, crashAction } from './bundled-manager.js'
import type { CrashReport } from './crash-point.js'
import { crashScenarios, type CrashScenario } from './crash-scenarios.js'
import { createTestManager, type TestManagerOptions } from './create-test-manager.js'
import { endProcessesOf } from './end-processes.js'
import { fakeApplicationServer } from './fake-application.js'
import { secondRuntime } from './second-runtime.js'
import { databasesOf, knownIds, takeSnapshots, type Snapshot, type Snapshots } from './snapshot.js'

/** In `npm run test:deep` a command is killed at every entry, elsewhere at that many, of which some are chosen by the seed. */
const most = process.env['TEST_DEEP'] === '1' ? Infinity : 3
const seed = fc.readConfigureGlobal().seed ?? 0
const limit = 600_000

export interface CrashOptions extends TestManagerOptions {
  /** At which entries of the journal it is killed. Default: all. */
  readonly isMeant?: (point: JournalPoint) => boolean
  /** Scenarios with a reverse proxy, which `config` names; default: those without. */
  readonly proxied?: boolean
}

/**
 * Kills a command of each of these kinds at the entries of the journal: at all of them or at a sample (`most`); of
 * outcomes only at the first and the last, as nothing happens between one and the intent that follows. Recovery must bring the instance exactly before
 * or exactly after, and what is before must bear the command again: it is the next one that is killed.
 *
 * Scenarios that are prepared alike share a home.
 */
export function testCrashes(
  kinds: readonly string[],
  { isMeant = () => true, proxied = false, ...options }: CrashOptions = {},
): void {
  const labs = new Map<CrashScenario['prepare'], Promise<Lab>>()
  afterAll(async () => {
    for (const lab of await Promise.all(labs.values())) await lab.close()
  }, limit)
  const labFor = async (scenario: CrashScenario) => {
    const { prepare } = scenario
    const made = labs.get(prepare) ?? createLab(prepare, options)
    labs.set(prepare, made)
    const lab = await made
    await lab.use(scenario)
    return lab
  }
  const isAsked = (one: CrashScenario) => kinds.includes(one.kind) && (one.proxied ?? false) === proxied
  for (const scenario of crashScenarios.filter(isAsked))
    testScenario(
      scenario,
      () => labFor(scenario),
      (point) => isMeant(point) && (scenario.isMeant?.(point) ?? true),
    )
}

function testScenario(
  { kind, when, leavesNothing }: CrashScenario,
  labFor: () => Promise<Lab>,
  isMeant: (point: JournalPoint) => boolean,
): void {
  const core = when === undefined ? { tags: 'core' as const } : {}
  describe(when === undefined ? kind : `${kind}, ${when}`, () => {
    let lab: Lab
    let report: CrashReport
    let before: Snapshots
    let after: Snapshots
    /** Number of the last entry from which recovery goes back, and of the first from which it goes forward; 0: none. */
    let last = 0
    let next = 0
    /** Number of the entry that is left for a recovery which is killed, too; undefined: none, any will do. */
    let other: number | undefined

    beforeAll(async () => {
      lab = await labFor()
      before = await lab.look()
      report = (await lab.crash()) as CrashReport
      after = await lab.look()
    }, limit)

    function possiblePoints(): readonly (readonly [index: number, point: JournalPoint])[] {
      return [...report.points.entries()].filter(([index, point]) => !isMere(report.points, index) && isMeant(point))
    }

    /** Kills the command at each of these. @returns what was wrong then */
    async function problemsOf(points: ReturnType<typeof possiblePoints>): Promise<Record<string, unknown>> {
      const problems: Record<string, unknown> = {}
      last = next = 0
      await lab.reset()
      let { exact } = await lab.look()
      for (const [round, [index, point]] of points.entries()) {
        const at = index + 1
        const where = `${at} ${JSON.stringify(point)}`
        const survived = await lab.crash(at)
        const left = await lab.recover()
        const now = await lab.look()
        const toBefore = differences(now.exact, exact)
        const toAfter = differences(now.alike, after.alike)
        if (survived || left.length > 0) problems[where] = { survived, left }
        else if (toBefore === undefined && next === 0) last = at
        else if (toAfter === undefined) next ||= at
        else problems[where] = next === 0 ? { toBefore, toAfter } : { toAfter }
        // What follows makes a home of its own.
        if (toBefore === undefined || round === points.length - 1) continue
        await lab.reset()
        exact = (await lab.look()).exact
      }
      return problems
    }

    it('is an operation that does what it should when it is not killed', core, () => {
      expect(report.error).toBeUndefined()
      expect(report.points.at(-1)).toEqual({ at: 'succeeded' })
      expect(lab.kinds()).toContain(kind)
      if (leavesNothing) expect(after.alike).toEqual(before.alike)
      else expect(after.alike).not.toEqual(before.alike)
    })

    it.skipIf(when !== undefined)(
      'is exactly before or exactly after, killed in the middle',
      { ...core, timeout: limit },
      async () => {
        const points = possiblePoints()
        const [middle] = points.slice(points.length >> 1)
        expect(middle).toBeDefined()
        expect(await problemsOf(middle ? [middle] : [])).toEqual({})
      },
    )

    it(
      `is exactly before or exactly after, wherever it is killed (seed ${seed})`,
      async () => {
        const possible = possiblePoints()
        const meant = [...sample(possible)]
        if (meant.length < possible.length) other = meant.splice(1, 1).map(([index]) => index + 1)[0]
        expect(await problemsOf(meant)).toEqual({})
        expect(meant.length).toBeGreaterThan(0)
        if (meant.length < report.points.filter((_point, index) => !isMere(report.points, index)).length) return
        expect(last).toBeGreaterThan(1)
        expect(next).toBeGreaterThan(last)
      },
      limit,
    )

    it(
      'bears that its recovery is killed too',
      async () => {
        const at = other ?? (last || next)
        await lab.reset()
        const { exact } = await lab.look()
        const survived = await lab.crash(at)
        await lab.crash(3, 'recovery')
        const left = await lab.recover()
        const now = await lab.look()
        const toBefore = differences(now.exact, exact)
        const toAfter = differences(now.alike, after.alike)
        const different = at === last ? toBefore : at === next ? toAfter : toBefore && toAfter && { toBefore, toAfter }
        expect({ at, survived, left, different }).toEqual({ at, survived: undefined, left: [], different: undefined })
      },
      limit,
    )
  })
}

/** The first, the last, and some between them, in their order. */
function sample<Entry>(entries: readonly Entry[]): readonly Entry[] {
  if (entries.length <= most) return entries
  const inner = fc.shuffledSubarray(entries.slice(1, -1), { minLength: most - 2, maxLength: most - 2 })
  const [chosen = []] = fc.sample(inner, { seed, numRuns: 1 })
  return entries.filter((entry, at) => at === 0 || at === entries.length - 1 || chosen.includes(entry))
}

/** An outcome between others: what follows is the intent of the next step. */
function isMere(points: readonly JournalPoint[], index: number): boolean {
  const isOutcome = ({ at }: JournalPoint) => at === 'outcome'
  const isInner = points.findIndex(isOutcome) < index && index < points.findLastIndex(isOutcome)
  return isInner && isOutcome(points[index] as JournalPoint)
}

/** What is not the same, for a message that can be read; undefined: all is. */
function differences(now: Snapshot, wanted: Snapshot): Record<string, unknown> | undefined {
  const keys = [...new Set([...Object.keys(now), ...Object.keys(wanted)])].filter((key) => now[key] !== wanted[key])
  if (keys.length === 0) return undefined
  return Object.fromEntries(keys.map((key) => [key, { now: now[key], wanted: wanted[key] }]))
}

/** A home that is prepared once and laid out again when a command has gone through. */
interface Lab {
  /** Runs the command of this one from now on; resets. */
  use(scenario: CrashScenario): Promise<void>
  /** As it was prepared. */
  reset(): Promise<void>
  look(): Promise<Snapshots>
  /** Runs the command, or recovery. @returns undefined when it was killed. */
  crash(at?: number, what?: 'recovery'): Promise<CrashReport | undefined>
  /** In a fresh manager. @returns what is left of operations, locks and temporary files. */
  recover(): Promise<readonly unknown[]>
  /** Kinds of operations that ran. */
  kinds(): readonly string[]
  close(): Promise<void>
}

async function createLab(prepare: CrashScenario['prepare'], options: TestManagerOptions): Promise<Lab> {
  const { program, createManager } = await bundledManager()
  const test = await createTestManager({
    ...options,
    createManager,
    runtimes: { second: secondRuntime() },
    config: [
      ...(options.config ?? []),
      'export APPS_HEALTHWINDOW=0',
      'APPS_TARGETS=nowhere',
      'APPS_TARGET_NOWHERE_TYPE=not-there',
    ],
  })
  await prepare?.(test)
  test.manager.close()
  const { home, folder } = test
  const base = join(folder, 'base')
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  cpSync(home, base, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  let manager = test.another()
  let scenario: CrashScenario | undefined
  const run = { home, applicationServer: fakeApplicationServer, defaultTemplate: test.template }
  const accounts = await preparedAccounts()

  /** On a database server, those of the instances that are or were in the home. */
  async function preparedAccounts(): Promise<readonly DatabaseAccount[]> {
    const { settings, databases } = manager.context
    if (settings.global.defaultDatabase === 'sqlite') return []
    const folders = globSync('{instances,trash}/**/settings.sh', { cwd: home }).map((file) => join(home, dirname(file)))
    return Promise.all(folders.map(async (each) => databases.account(each, await settings.instance(each))))
  }

  /** On database servers, all of these instances. */
  async function dropDatabases(): Promise<void> {
    const { context } = manager
    for (const id of knownIds(context).keys())
      for (const { type, account } of await databasesOf(context, id)) await context.databases.server(type).drop(account)
  }

  async function reset(): Promise<void> {
    await endProcessesOf(folder)
    await dropDatabases()
    manager.close()
    // The folder itself stays: another one in its place would be another home.
    for (const name of readdirSync(home)) rmSync(join(home, name), { recursive: true })
    cpSync(base, home, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    manager = test.another()
    const { databases, settings } = manager.context
    for (const account of accounts) await databases.server(settings.global.defaultDatabase).create(account)
    for (const action of scenario?.begin ?? []) await manager.perform(action, { name: 'demo' }, test.caller)
    await manager.context.proxies.publish(test.caller)
  }

  return {
    async use(next) {
      scenario = next
      await reset()
    },
    reset,
    look: () => takeSnapshots(manager.context),
    crash(at, what) {
      const { action, input } = scenario as CrashScenario
      const environment = { TMPDIR: temporary }
      return crashAction(program, what === 'recovery' ? { ...run, at } : { ...run, at, action, input }, environment)
    },
    async recover() {
      manager.close()
      manager = test.another()
      const { operations, locks, registry } = manager.context
      await operations.recover(test.caller)
      // As the next command that changes something, and a server within seconds.
      await manager.context.proxies.publish(test.caller)
      const open = registry[sqlite]
        .prepare(`select title, state, message from operation where state not in ('succeeded', 'rolled_back')`)
        .all()
      const keys = registry[sqlite].prepare('select locks from operation').all()
      const lock = locks.tryAcquire(
        keys.flatMap((row) => JSON.parse(String(row['locks'])) as string[]),
        'test',
      )
      lock?.release()
      return [...open, ...(lock ? [] : ['a lock']), ...readdirSync(temporary)]
    },
    kinds: () => manager.context.registry.history().map((entry) => entry.action),
    async close() {
      await dropDatabases()
      await test.close()
    },
  }
}
