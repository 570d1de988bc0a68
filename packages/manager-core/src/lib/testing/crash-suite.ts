import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestManager, type TestManagerOptions } from './create-test-manager.js'
import { crashScenarios, type CrashScenario } from './crash-scenarios.js'
import type { CrashReport } from './crash-point.js'
import { endProcessesOf } from './end-processes.js'
import { fakeApplicationServer } from './fake-application.js'
import { crashAction } from './run-program.js'
import { databasesOf, knownIds, takeSnapshots, type Snapshot, type Snapshots } from './snapshot.js'

const limit = 240_000

/**
 * `TEST_CRASHES=all` kills at every entry, and recovery more often. Without it the entry after a step's effect stands for
 * the one that notes its outcome: nothing but the journal changes between them.
 */
const isThorough = process.env['TEST_CRASHES'] === 'all'

/**
 * Kills a command of each of these kinds at every entry of the journal. Recovery must bring the instance exactly before
 * or exactly after, and what is before must bear the command again: it is the next one that is killed.
 */
export function testCrashes(kinds: readonly string[], options: TestManagerOptions = {}): void {
  for (const scenario of crashScenarios.filter(({ kind }) => kinds.includes(kind))) testScenario(scenario, options)
}

function testScenario(scenario: CrashScenario, options: TestManagerOptions): void {
  const { kind, when } = scenario
  describe(when === undefined ? kind : `${kind}, ${when}`, () => {
    let lab: Lab
    let report: CrashReport
    let before: Snapshots
    let after: Snapshots
    /** Number of the last entry from which recovery goes back, and of the first from which it goes forward. */
    let last = 0
    let next = 0

    beforeAll(async () => {
      lab = await createLab(scenario, options)
      before = await lab.look()
      report = (await lab.crash()) as CrashReport
      after = await lab.look()
    }, limit)
    afterAll(() => lab?.close())

    it('is an operation that does what it should when nobody kills it', () => {
      expect(report.error).toBeUndefined()
      expect(report.points.at(-1)).toEqual({ at: 'succeeded' })
      expect(lab.kinds()).toContain(scenario.kind)
      expect(after.alike).not.toEqual(before.alike)
    })

    it(
      'is exactly before or exactly after, wherever it is killed',
      async () => {
        const problems: Record<string, unknown> = {}
        await lab.reset()
        let { exact } = await lab.look()
        for (const [index, point] of report.points.entries()) {
          if (point.at === 'outcome' && !isThorough) continue
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
          if (toBefore === undefined) continue
          await lab.reset()
          exact = (await lab.look()).exact
        }
        expect(problems).toEqual({})
        expect(last).toBeGreaterThan(1)
        expect(next).toBeGreaterThan(last)
      },
      limit,
    )

    it(
      'bears that its recovery is killed too',
      async () => {
        const problems: Record<string, unknown> = {}
        const more = [
          [last, 2],
          [last, 5],
          [next, 3],
        ] as const
        const samples = [[last, 3] as const, ...(isThorough ? more : [])]
        for (const [at, again] of samples) {
          await lab.reset()
          const { exact } = await lab.look()
          const survived = await lab.crash(at)
          await lab.crash(again, 'recovery')
          const left = await lab.recover()
          const now = await lab.look()
          const different = at === last ? differences(now.exact, exact) : differences(now.alike, after.alike)
          if (survived || left.length > 0 || different) problems[`${at}, then ${again}`] = { survived, left, different }
        }
        expect(problems).toEqual({})
      },
      limit,
    )
  })
}

/** What is not the same, for a message that can be read; undefined: all is. */
function differences(now: Snapshot, wanted: Snapshot): Record<string, unknown> | undefined {
  const keys = [...new Set([...Object.keys(now), ...Object.keys(wanted)])].filter((key) => now[key] !== wanted[key])
  if (keys.length === 0) return undefined
  return Object.fromEntries(keys.map((key) => [key, { now: now[key], wanted: wanted[key] }]))
}

/** A home that is prepared once and laid out again when a command has gone through. */
interface Lab {
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

async function createLab(scenario: CrashScenario, options: TestManagerOptions): Promise<Lab> {
  const { action, input } = scenario
  const test = await createTestManager({
    ...options,
    config: [...(options.config ?? []), 'export APPS_HEALTHWINDOW=0'],
  })
  await scenario.prepare?.(test)
  test.manager.close()
  const { home, folder } = test
  const base = join(folder, 'base')
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  cpSync(home, base, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  let manager = test.another()
  const run = { home, applicationServer: fakeApplicationServer, defaultTemplate: test.template }
  const environment = { TMPDIR: temporary }

  async function startAgain(): Promise<void> {
    manager.close()
    manager = test.another()
    for (const action of scenario.begin ?? []) await manager.perform(action, { name: 'demo' }, test.caller)
  }

  /** Of database servers, those of these instances. */
  async function dropDatabases(isMeant: (id: string) => boolean): Promise<void> {
    const { context } = manager
    for (const id of [...knownIds(context).keys()].filter(isMeant))
      for (const type of await databasesOf(context, id))
        await context.databases.server(type).drop({ ...context.databases.names(type, id), password: '' })
  }

  await startAgain()
  const prepared = knownIds(manager.context)
  return {
    async reset() {
      await endProcessesOf(folder)
      await dropDatabases((id) => !prepared.has(id))
      manager.close()
      rmSync(home, { recursive: true })
      cpSync(base, home, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
      await startAgain()
    },
    look: () => takeSnapshots(manager.context),
    crash: (at, what) => crashAction(what === 'recovery' ? { ...run, at } : { ...run, at, action, input }, environment),
    async recover() {
      manager.close()
      manager = test.another()
      const { operations, locks, registry } = manager.context
      await operations.recover(test.caller)
      const open = registry.database
        .prepare(`select title, state, message from operation where state not in ('succeeded', 'rolled_back')`)
        .all()
      const keys = registry.database.prepare('select locks from operation').all()
      const lock = locks.tryAcquire(
        keys.flatMap((row) => JSON.parse(String(row['locks'])) as string[]),
        'test',
      )
      lock?.release()
      return [...open, ...(lock ? [] : ['a lock']), ...readdirSync(temporary)]
    },
    kinds: () => manager.context.registry.history().map((entry) => entry.action),
    async close() {
      await dropDatabases(() => true)
      await test.close()
    },
  }
}
