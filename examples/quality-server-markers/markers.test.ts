import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { QualityServerOptions } from '@steward/manager-core'
import { testQualityServer } from '@steward/manager-core/testing'
import { expect, it } from 'vitest'
import { qualityServer } from './plugin/src/index.js'

const options: QualityServerOptions = { project: 'apps-demo', timeoutMs: 60_000 }

testQualityServer('markers', () => ({ server: qualityServer.open(options) }))

it('analyse() fails the gate for FIXME, warns of TODO, and says where they are', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-markers-'))
  writeFileSync(join(folder, 'a.ts'), 'export const a = 1\n// TODO: a better name\n')
  writeFileSync(join(folder, 'b.ts'), '// FIXME\n')
  const { reports } = await qualityServer.open(options).analyse(
    { instance: { id: '1', name: 'demo' }, folder, findings: [] },
    [
      { name: 'one', files: ['a.ts'] },
      { name: 'two', files: ['b.ts'] },
    ],
    {},
  )
  expect(reports.map(({ gate, issues }) => [gate, issues])).toEqual([
    ['WARN', [{ rule: 'todo', severity: 'warning', message: 'a better name', module: 'one', file: 'a.ts', line: 2 }]],
    [
      'ERROR',
      [{ rule: 'fixme', severity: 'error', message: 'FIXME without a text', module: 'two', file: 'b.ts', line: 1 }],
    ],
  ])
  rmSync(folder, { recursive: true })
})
