/**
 * @module-tag mixed
 * @module-tag continued
 */
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import type { QualityReport } from './report.js'

const applicationServer = fileURLToPath(new URL('../../../../app-server/dist/cli.js', import.meta.url))
const catalog = fileURLToPath(new URL('../../../../../examples/catalog', import.meta.url))

let test: TestManager
let app: string
beforeAll(async () => {
  test = await createTestManager({ applicationServer, refresh: false })
  rmSync(test.template, { recursive: true })
  cpSync(catalog, test.template, { recursive: true })
  // Its set-up needs packages that are not beside the copy.
  for (const file of ['setup.ts', 'catalog.test.ts']) rmSync(join(test.template, file))
  replace(test.template, 'app.yaml', 'setup: setup.ts\n', '')
  await test.context.templates.refresh()
  await test.perform('add', { name: 'demo' })
  app = test.path('demo', 'app')
})
afterAll(() => test.close())

function replace(folder: string, file: string, before: string, after: string): void {
  const text = readFileSync(join(folder, file), 'utf8')
  expect(text).toContain(before)
  writeFileSync(join(folder, file), text.replace(before, after))
}

async function analyse(...modules: readonly string[]) {
  const { item, exitCode } = await test.perform('quality', { name: 'demo', modules })
  return { report: item as QualityReport, exitCode }
}

it('quality without a server analyses on this machine, and says so', async () => {
  const { report, exitCode } = await analyse()
  expect(exitCode).toBe(0)
  expect(report).toMatchObject({ format: 'steward-quality', instance: 'demo', server: 'local', gate: 'OK' })
  expect(report.notes[0]).toContain('No quality server is set')
  expect(report.notes[1]).toContain('Types are not checked')
  expect(report.modules.map(({ module }) => module)).toEqual(['app', 'objects', 'tests'])
  expect(report.modules[1]?.measures['coverage']).toBeGreaterThan(50)
  expect(report.modules[1]?.measures['coverage']).toBeLessThan(100)
  expect(report.modules[2]?.measures).toMatchObject({ tests: 2, failed_tests: 0 })
})

it(
  'quality finds planted faults of the model, types, code and tests, with file and line, and fails',
  { tags: 'core' },
  async () => {
    replace(app, 'objects/director.yaml', 'order: [dir_name]', 'order: [dir_born]')
    replace(app, 'objects/director.yaml', '  dir_portrait:', '  dir_born: { type: date }\n  dir_portrait:')
    writeFileSync(
      join(app, 'helper.ts'),
      'export const count: number = "three"\nexport function twice(a: number) {\n  a == a\n  debugger\n}\n',
    )
    writeFileSync(
      join(app, 'tsconfig.json'),
      '{ "compilerOptions": { "target": "es2023", "types": [] }, "files": ["helper.ts"] }',
    )
    appendFileSync(join(app, 'tests/reviews.ts'), `\nexport function fails() {\n  throw new Error('planted')\n}\n`)
    const { report, exitCode } = await analyse()
    expect(exitCode).toBe(1)
    expect(report.gate).toBe('ERROR')
    expect(report.modules.map(({ module, gate }) => `${module} ${gate}`)).toEqual([
      'app ERROR',
      'objects WARN',
      'tests ERROR',
    ])
    const issues = report.modules.flatMap((module) => module.issues)
    const found = (rule: RegExp) => issues.find((issue) => rule.test(issue.rule))
    expect(found(/^slow-sort$/)).toMatchObject({ module: 'objects', file: 'objects/director.yaml', line: 13 })
    expect(found(/^TS2322$/)).toMatchObject({
      module: 'app',
      file: 'helper.ts',
      line: 1,
      column: 14,
      severity: 'error',
    })
    expect(found(/no-debugger/)).toMatchObject({ module: 'app', file: 'helper.ts', line: 4 })
    expect(found(/^unit-test$/)).toMatchObject({ module: 'tests', file: 'tests/reviews.ts', message: 'fails: planted' })
  },
)

it('quality of some modules reports on these; an unknown one is refused with the known ones', async () => {
  const { report, exitCode } = await analyse('objects')
  expect(report.modules.map(({ module }) => module)).toEqual(['objects'])
  expect(exitCode).toBe(0)
  await expect(analyse('nope')).rejects.toMatchObject({
    code: 'ERR_NOT_FOUND',
    message: 'Unknown module "nope".',
    help: expect.stringContaining('app, objects, tests'),
  })
})

it('quality-report answers the latest report that is kept, as SARIF too', async () => {
  const kept = readdirSync(test.path('demo', 'quality'))
  expect(kept.length).toBeGreaterThan(0)
  const { item, message } = await test.perform('quality-report', { name: 'demo' })
  expect(item).toEqual(JSON.parse(readFileSync(test.path('demo', 'quality', kept.toSorted().at(-1) as string), 'utf8')))
  expect(message).toContain('objects/director.yaml:13:1: warning slow-sort')
  const { file } = await test.perform('quality-report', { name: 'demo', sarif: true })
  let text = ''
  for await (const bytes of file?.content() ?? []) text += new TextDecoder().decode(bytes)
  expect(JSON.parse(text)).toMatchObject({
    version: '2.1.0',
    runs: [
      {
        results: [
          {
            ruleId: 'slow-sort',
            level: 'warning',
            locations: [
              { physicalLocation: { artifactLocation: { uri: 'objects/director.yaml' }, region: { startLine: 13 } } },
            ],
          },
        ],
      },
    ],
  })
})

it('qualityall analyses each instance and ends with 1 when a gate fails', async () => {
  const { list, exitCode } = await test.perform('qualityall')
  expect(list).toEqual([{ name: 'demo', result: 'failed', gate: 'ERROR', message: 'The gate failed for app, tests.' }])
  expect(exitCode).toBe(1)
})

it('quality-report of an instance without a report says what to do', async () => {
  await test.perform('add', { name: 'other' })
  await expect(test.perform('quality-report', { name: 'other' })).rejects.toMatchObject({ command: 'quality other' })
})
