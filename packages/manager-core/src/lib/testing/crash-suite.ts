import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager, type TestManagerOptions } from './create-test-manager.js'
import { crashScenarios, type CrashScenario, type Stage } from './crash-scenarios.js'
import type { CrashReport } from './crash-point.js'
import { endProcessesOf } from './end-processes.js'
import { fakeApplicationServer } from './fake-application.js'
import { crashAction } from './run-program.js'
import { takeSnapshots, type Snapshots } from './snapshot.js'

const limit = 240_000

/**
 * Kills a command of each of these kinds at every entry of the journal. Recovery must bring the instance exactly before
 * or exactly after, and what is before must bear the command again: it is the next one that is killed.
 */
export function testCrashes(kinds: readonly string[], options: TestManagerOptions = {}): void {
  describe.each(crashScenarios.filter(({ kind }) => kinds.includes(kind)))('$kind', (scenario) => {
    let lab: Lab
    let report: CrashReport
    let before: Snapshots
    let after: Snapshots
    /** Number of the last entry from which recovery goes back. */
    let last = 0

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
        await lab.reset()
        let exact = (await lab.look()).exact
        for (let at = 1; at <= report.points.length; at++) {
          const where = `killed at ${at}, ${JSON.stringify(report.points[at - 1])}`
          expect(await lab.crash(at), where).toBeUndefined()
          await lab.recover()
          const now = await lab.look()
          const isBefore = JSON.stringify(now.exact) === JSON.stringify(exact)
          if (isBefore) {
            expect(at - last, `${where}: before again, after an earlier kill went forward`).toBe(1)
            last = at
          } else {
            if (at === last + 1 && at < report.points.length && differs(now, after))
              expect(now.exact, where).toEqual(exact)
            expect(now.alike, where).toEqual(after.alike)
            await lab.reset()
            exact = (await lab.look()).exact
          }
        }
        expect(last).toBeGreaterThan(0)
      },
      limit,
    )

    it(
      'bears that its recovery is killed too',
      async () => {
        for (const [at, again] of [
          [last, 2],
          [last, 5],
          [last + 1, 3],
        ] as const) {
          await lab.reset()
          const { exact } = await lab.look()
          expect(await lab.crash(at)).toBeUndefined()
          await lab.crashRecovery(again)
          await lab.recover()
          const now = await lab.look()
          const where = `killed at ${at}, and its recovery at ${again}`
          if (at === last) expect(now.exact, where).toEqual(exact)
          else expect(now.alike, where).toEqual(after.alike)
        }
      },
      limit,
    )
  })
}

function differs(a: Snapshots, b: Snapshots): boolean {
  return JSON.stringify(a.alike) !== JSON.stringify(b.alike)
}

/** A home that is prepared once and laid out again when a command has gone through. */
interface Lab {
  /** As it was prepared. */
  reset(): Promise<void>
  look(): Promise<Snapshots>
  /** Runs the command. @returns undefined when it was killed. */
  crash(at?: number): Promise<CrashReport | undefined>
  crashRecovery(at: number): Promise<CrashReport | undefined>
  /** In a fresh manager; nothing must be left to do. */
  recover(): Promise<void>
  /** Kinds of operations that ran. */
  kinds(): readonly string[]
  close(): Promise<void>
}

async function createLab(scenario: CrashScenario, options: TestManagerOptions): Promise<Lab> {
  const { action, input } = scenario
  const test = await createTestManager({ ...options, refresh: true })
  await toStage(test, scenario.stage)
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
    if (scenario.running) await manager.perform('start', { name: 'demo' }, test.caller)
  }

  await startAgain()
  return {
    async reset() {
      await endProcessesOf(home)
      manager.close()
      rmSync(home, { recursive: true })
      cpSync(base, home, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
      await startAgain()
    },
    look: () => takeSnapshots(manager.context),
    crash: (at) => crashAction({ ...run, at, action, input }, environment),
    crashRecovery: (at) => crashAction({ ...run, at }, environment),
    async recover() {
      manager.close()
      manager = test.another()
      const { operations, locks, registry } = manager.context
      await operations.recover(test.caller)
      const open = registry.database
        .prepare(`select title, state, message from operation where state not in ('succeeded', 'rolled_back')`)
        .all()
      expect(open).toEqual([])
      const keys = registry.database.prepare('select locks from operation').all()
      const lock = locks.tryAcquire(
        keys.flatMap((row) => JSON.parse(String(row['locks'])) as string[]),
        'test',
      )
      expect(lock).toBeDefined()
      lock?.release()
      expect(readdirSync(temporary)).toEqual([])
    },
    kinds: () => manager.context.registry.history().map((entry) => entry.action),
    close: () => test.close(),
  }
}

async function toStage(test: TestManager, stage: Stage): Promise<void> {
  if (stage === 'empty') return
  await test.perform('add', { name: 'demo' })
  await test.perform('stop', { name: 'demo' })
  if (stage === 'saved') await test.perform('save', { name: 'demo' })
  if (stage === 'deleted') await test.perform('delete', { name: 'demo' })
}
