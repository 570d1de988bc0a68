import { expect, it } from 'vitest'
import { selectTests } from '../scripts/test-changed.mjs'

const parts = [
  { folder: 'packages/core', name: '@steward/core', uses: [] },
  { folder: 'packages/koa', name: '@steward/koa', uses: ['@steward/core'] },
  { folder: 'packages/server', name: '@steward/server', uses: ['@steward/koa'] },
  { folder: 'packages/targets', name: '@steward/targets', uses: [] },
  { folder: 'tests/service.test.ts', name: '', uses: ['@steward/server'] },
  { folder: 'tests/texts.test.ts', name: '', uses: ['@steward/targets'] },
]

it.each([
  ['a source: its package and all that use it', ['packages/koa/src/lib/a.ts'], [1, 2, 4]],
  ['the lowest package', ['packages/core/src/a.ts'], [0, 1, 2, 4]],
  ['a package that one file uses', ['packages/targets/src/a.ts'], [3, 5]],
])('selectTests() chooses for %s', (_, changed, chosen) => {
  expect(selectTests(changed, parts)).toEqual(chosen.map((at) => parts[at]?.folder))
})

/** What reads documentation. */
const ofTexts = ['capabilities', 'contributing', 'readmes', 'requirements', 'website'].map(
  (name) => `tests/${name}.test.ts`,
)

it('selectTests() chooses a test alone, nothing for documentation, and all for what all use', () => {
  expect(selectTests(['packages/koa/src/a.test.ts'], parts)).toEqual(['packages/koa/src/a.test.ts'])
  expect(selectTests(['docs/rights.md'], parts)).toEqual(ofTexts)
  expect(selectTests(['docs/plan.svg', 'bench/rest/run.ts'], parts)).toEqual([])
  for (const file of ['vitest.config.ts', 'tests/servers/setup.ts', 'package-lock.json'])
    expect(selectTests([file, 'packages/core/src/a.ts'], parts)).toBeUndefined()
})
