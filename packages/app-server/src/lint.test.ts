import { existsSync } from 'node:fs'
import { appendFile, cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { findPlace } from './lib/lint/find-place.js'
import type { ApplicationLint } from './lib/lint/lint-application.js'
import { makeFolder, runHere, shopFiles } from './running-app-for-test.js'

const catalog = fileURLToPath(new URL('../../../examples/catalog', import.meta.url))
const removals: (() => Promise<unknown>)[] = []
afterAll(() => Promise.all(removals.map((remove) => remove())))

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const { folder, remove } = await makeFolder(files)
  removals.push(remove)
  return folder
}

/** A copy of the example; its set-up needs packages that are not beside the copy. */
async function catalogCopy(): Promise<string> {
  const folder = await folderOf({})
  await cp(catalog, folder, { recursive: true })
  await replace(folder, 'app.yaml', 'setup: setup.ts\n', '')
  return folder
}

async function replace(folder: string, file: string, before: string, after: string): Promise<void> {
  const text = await readFile(join(folder, file), 'utf8')
  expect(text).toContain(before)
  await writeFile(join(folder, file), text.replace(before, after))
}

async function lint(folder: string, ...flags: readonly string[]) {
  const { code, output = '', errors } = await runHere([folder, '--lint', '--json', ...flags])
  expect(errors).toBe('')
  return { code, ...(JSON.parse(output) as ApplicationLint) }
}

describe('--lint', () => {
  test('finds nothing in the example, and lists its modules', async () => {
    const { code, findings, modules } = await lint(catalog)
    expect(findings).toEqual([])
    expect(code).toBe(0)
    expect(modules.map(({ name }) => name)).toEqual(['app', 'objects', 'tests'])
    expect(modules[2]?.files).toEqual(['tests/reviews.ts'])
  })

  test('finds planted faults with file and line', async () => {
    const folder = await catalogCopy()
    await writeFile(
      join(folder, 'objects/leftover.yaml'),
      'name: Leftover\nfields:\n  lef_name: { type: string, key: true }\n',
    )
    await appendFile(
      join(folder, 'objects/director.yaml'),
      `publications:
  letter: { format: docx, file: ../templates/letter.docx }
`,
    )
    await replace(folder, 'objects/director.yaml', 'order: [dir_name]', 'order: [dir_born]')
    await replace(folder, 'objects/director.yaml', '  dir_portrait:', '  dir_born: { type: date }\n  dir_portrait:')
    await replace(folder, 'objects/distributor.yaml', 'order:', '  dis_secret: { type: string, hidden: true }\norder:')
    await replace(folder, 'objects/movie.ts', "object: 'Genre',", "object: 'Genre', index: false,")
    const { code, findings } = await lint(folder)
    expect(findings.map(({ file, line, severity, rule }) => `${file}:${line} ${severity} ${rule}`)).toEqual([
      'objects/director.yaml:13 warning slow-sort',
      'objects/director.yaml:15 error publication-field',
      'objects/distributor.yaml:12 warning unused-field',
      'objects/leftover.yaml:1 info unused-object',
      'objects/movie.ts:24 warning reference-without-index',
    ])
    expect(findings.find(({ rule }) => rule === 'publication-field')?.message).toContain(
      '"Director" has no field "mov_',
    )
    expect(code).toBe(1)
  })

  test('reports what keeps the application from starting, with its place', async () => {
    const folder = await catalogCopy()
    await replace(folder, 'objects/movie.ts', "'mov_gross', 'mov_state'", "'mov_profit', 'mov_state'")
    const { code, findings } = await lint(folder)
    expect(findings).toMatchObject([
      { rule: 'publication-field', severity: 'error', module: 'objects', file: 'objects/movie.ts', line: 107 },
    ])
    expect(findings[0]?.message).toContain('has no field "mov_profit"')
    expect(code).toBe(1)
    const broken = await lint(await folderOf({ ...shopFiles, 'objects/other.yaml': 'name: Other\nfields: [' }))
    expect(broken.findings).toMatchObject([{ rule: 'definition', file: 'objects/other.yaml', line: 2 }])
  })

  test('--records reads grants and which fields are filled, and makes no database', async () => {
    const folder = await folderOf({
      ...shopFiles,
      'app.yaml': `${shopFiles['app.yaml']}setup: fill.mjs\n`,
      'objects/product.yaml': `${shopFiles['objects/product.yaml']}  prd_note: { type: string }\n`,
      'fill.mjs': `export default async function fill({ service, principal }) {
        const { row_id: group } = await service.create(principal, 'Group', { grp_name: 'CLERKS' })
        await service.create(principal, 'Grant', { grt_group_id: group, grt_object: 'Product', grt_rights: 'R', grt_filter: "prd_code <> 'X'" })
        await service.create(principal, 'Grant', { grt_group_id: group, grt_object: '*', grt_rights: 'RU' })
        for (let at = 0; at < 100; at++)
          await service.create(principal, 'Product', { prd_code: 'P' + at, prd_name: 'Product' })
      }\n`,
    })
    const before = await lint(folder, '--records')
    expect(before.skipped).toEqual([expect.stringMatching(/^Grants and records: /)])
    expect(existsSync(join(folder, 'data'))).toBe(false)
    expect((await runHere([folder, '--export', 'Product', '--output', join(folder, 'out.json')])).code).toBe(0)
    const { findings, skipped } = await lint(folder, '--records')
    expect(skipped).toEqual([])
    expect(findings.map(({ rule, file }) => [rule, file])).toEqual([
      ['grant-all-objects', undefined],
      ['grant-widened', undefined],
      ['unused-field', 'objects/product.yaml'],
    ])
  })

  test('prints lines as compilers do; --json and --records belong to it', async () => {
    const folder = await folderOf({
      ...shopFiles,
      'objects/product.yaml': `${shopFiles['objects/product.yaml']}order: [prd_name]\n`,
    })
    const { code, output } = await runHere([folder, '--lint'])
    expect(output).toMatch(/^objects\/product\.yaml:6:1: warning slow-sort: .*\n0 errors, 1 warning, 0 hints\n$/)
    expect(code).toBe(0)
    expect((await runHere([folder, '--json'])).errors).toContain('--json requires --lint')
    expect((await runHere(['--lint'])).errors).toContain('--lint requires the folder of an application')
  })
})

test('findPlace() finds keys one after the other, after the name of their object', () => {
  const text = 'name: A\nfields:\n  x: 1\n---\nname: B\nfields:\n  x: 2\n'
  expect(findPlace(text, 'B', ['fields', 'x'])).toEqual({ line: 7, column: 3 })
  expect(findPlace(text, 'B', ['fields', 'none'])).toEqual({ line: 6, column: 1 })
  expect(findPlace(text, 'C', [])).toBeUndefined()
})
