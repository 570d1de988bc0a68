/** @module-tag mixed */
import { describe, expect, it } from 'vitest'
import { buildSimulation } from './bundle.js'
import { onceMade } from './once-made.js'
import { simulateAll } from './shards.js'

const isDeep = process.env['TEST_DEEP'] === '1'
/** Histories; `npm test` has as many as take a few seconds. */
const count = Number(process.env['SIM_COUNT'] ?? (isDeep ? 10_000 : 200))
/** Seed of the first one. The deep ones are others each day, so that ever more are run. */
const first = Number(process.env['SIM_SEED'] ?? (isDeep ? Math.floor(Date.now() / 86_400_000) * 100_000 : 1))
const limit = 7_200_000

const replay = (seed: number) => `SIM_SEED=${seed} SIM_COUNT=1 npx vitest run simulation.mixed.test.ts`

describe('a simulated machine', () => {
  const built = buildSimulation()

  it(
    `finds every command done or undone, and nothing lost, in ${count} histories from seed ${first}`,
    { tags: 'core', timeout: limit },
    async () => {
      const { findings, tally } = await simulateAll(await built, { first, count })
      const [found] = findings
      if (found) expect.fail([found.problem, ...found.history, `Replay: ${replay(found.seed)}`].join('\n'))
      expect(tally.histories).toBe(count)
      expect(tally.commands).toBeGreaterThan(count)
      // A manager that can do nothing on this machine is never killed, and loses nothing.
      expect(tally.kills).toBeGreaterThan(count / 10)
    },
  )

  it('does the same again for the same seed', { tags: 'core', timeout: limit }, async () => {
    const { simulate } = await built
    const told: string[][] = [[], []]
    for (const lines of told) await simulate({ first, count: 3, effects: (line) => lines.push(line) })
    expect(told[0]?.length).toBeGreaterThan(100)
    expect(told[1]).toEqual(told[0])
  })

  for (const mistakes of onceMade) {
    let build: ReturnType<typeof buildSimulation> | undefined
    it.each(mistakes)(
      'finds that $mistake, when the manager does so',
      async ({ seed, finds }) => {
        build ??= buildSimulation(mistakes.flatMap(({ mutations }) => mutations))
        const { simulate } = await build
        const { findings } = await simulate({ first: seed, count: 1, shrinks: false })
        expect(findings[0]?.problem).toMatch(finds)
      },
      limit,
    )
  }
})
