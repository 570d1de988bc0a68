import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApplicationCheck } from './lib/check-application.js'
import { makeFolder, runHere, shopFiles } from './running-app-for-test.js'

const removals: (() => Promise<unknown>)[] = []
afterAll(() => Promise.all(removals.map((remove) => remove())))

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const { folder, remove } = await makeFolder(files)
  removals.push(remove)
  return folder
}

async function check(folder: string, flag: '--check' | '--plan') {
  const { code, output = '', errors } = await runHere([folder, flag])
  return { code, errors, checked: JSON.parse(output) as ApplicationCheck }
}

describe('--check', () => {
  test('a good application has no problems, and nothing is made', async () => {
    const folder = await folderOf(shopFiles)
    const { code, checked } = await check(folder, '--check')
    expect({ code, checked }).toEqual({
      code: 0,
      checked: {
        format: 'steward-check',
        version: 1,
        application: { name: 'shop', title: 'Shop', version: '1.2.3' },
        problems: [],
      },
    })
    expect(existsSync(join(folder, 'data'))).toBe(false)
  })

  test('modules are ES modules, also in a folder that npm init has made', async () => {
    const { checked } = await check(
      await folderOf({
        ...shopFiles,
        'package.json': '{ "type": "commonjs" }',
        'length.ts': 'export const length: number = 7\n',
        'objects/one.ts': `import { defineObject } from '@steward/rest-core'
import { length } from '../length.ts'
export default defineObject({ name: 'One', fields: { one_a: { type: 'string', length } } })\n`,
        'objects/two.js': `import { defineObject } from '@steward/rest-core'
export default defineObject({ name: 'Two', fields: { two_a: { type: 'reference', object: 'One' } } })\n`,
        'objects/three.js': `const { defineObject } = require('@steward/rest-core')
module.exports = defineObject({ name: 'Three', fields: { thr_a: { type: 'reference', object: 'Two' } } })\n`,
      }),
      '--check',
    )
    expect(checked.problems).toEqual([])
  })

  test.each([
    [{ 'app.yaml': 'name: shop\nversion: 1.0.0\nporte: 80\n' }, /^app\.yaml:3:1 porte/],
    [{ 'objects/product.yaml': 'name: Product\nfields: [' }, /^objects\/product\.yaml:2:\d+ /],
    [{ 'objects/other.yaml': 'name: Other\nfields: { a: { type: reference, object: Nowhere } }\n' }, /Other.*Nowhere/],
    [{ 'objects/product.mjs': 'export default {\n  hooks: {}\n  actions: {}\n}\n' }, /^objects\/product\.mjs:3: /],
    [{ 'objects/product.ts': 'export default {\n  hooks: {}\n  actions: {}\n}\n' }, /^objects\/product\.ts:3: /],
    [{ 'objects/thing.mjs': '\nthrow new Error("no paper")\n' }, /^objects\/thing\.mjs:2:7: no paper$/],
    [{ 'objects/product.mjs': 'export default { hocks: {} }\n' }, /^objects\/product\.mjs: "hocks"/],
    [{ 'app.yaml': 'name: shop\nversion: 1.0.0\nsetup: fill.ts\n' }, /^fill\.ts, the "setup" of app\.yaml, does not/],
  ])('%j is reported with its place in the folder', async (files, expected) => {
    const { code, checked } = await check(await folderOf({ ...shopFiles, ...files }), '--check')
    expect(checked.problems).toEqual([expect.stringMatching(expected)])
    expect(code).toBe(1)
  })
})

describe('--plan and --sync', () => {
  let folder: string
  beforeAll(async () => {
    folder = await folderOf(shopFiles)
  })
  const plan = async () => (await check(folder, '--plan')).checked.database
  const kinds = async () => (await plan())?.steps.map(({ kind, table }) => `${kind} ${table}`)

  test('a database that does not exist yet is planned and not made', async () => {
    expect(await kinds()).toContain('createTable product')
    expect(existsSync(join(folder, 'data'))).toBe(false)
  })

  test('what would be lost is counted, and lost by --sync --destructive only', async () => {
    expect((await runHere([folder, '--sync'])).output).toContain('create table product')
    expect(await kinds()).toEqual([])
    await writeFile(join(folder, 'products.csv'), 'prd_code,prd_name\nA,Apple\nB,Banana\n')
    const imported = await runHere([folder, '--import', join(folder, 'products.csv'), '--object', 'Product'])
    expect(imported.code, imported.errors).toBe(0)
    const before = await readFile(join(folder, 'data/shop.db'))
    await writeFile(
      join(folder, 'objects/product.yaml'),
      (shopFiles['objects/product.yaml'] ?? '').replace('length: 80', 'length: 5'),
    )
    const { code, checked } = await check(folder, '--plan')
    expect(code).toBe(1)
    expect(checked.database?.losses).toEqual([
      {
        table: 'product',
        column: 'prd_name',
        description: 'change column product.prd_name from string(80) to string(5)',
        values: 2,
        lost: 1,
      },
    ])
    expect((await runHere([folder, '--sync'])).errors).toContain('prd_name')
    expect(await readFile(join(folder, 'data/shop.db'))).toEqual(before)
    expect((await runHere([folder, '--sync', '--destructive'])).code).toBe(0)
    expect(await plan()).toEqual({ steps: [], leftover: [], losses: [] })
  })

  test('--plan --sql prints nothing but a script; once it was run, there is nothing to do', async () => {
    const shop = await folderOf(shopFiles)
    const printed = async () => {
      const { code, output = '', errors } = await runHere([shop, '--plan', '--sql'])
      expect(errors).toBe('')
      expect(code).toBe(0)
      return output
    }
    const script = await printed()
    expect(script).toMatch(/^pragma foreign_keys = off;\nbegin immediate;\n\n-- 1\. create table /)
    expect(existsSync(join(shop, 'data'))).toBe(false)
    await mkdir(join(shop, 'data'))
    const database = new Database(join(shop, 'data/shop.db'))
    database.exec(script)
    database.close()
    expect(await printed()).toBe('-- The database fits the model: there is nothing to do.\n')
    expect((await check(shop, '--plan')).checked.database?.steps).toEqual([])
    expect((await runHere([shop, '--sql'])).errors).toContain('--sql requires --plan')
  })

  test('they need the folder of an application, and a database that can be reached', async () => {
    expect((await runHere(['--plan'])).errors).toContain('--plan requires the folder of an application')
    const env = { STEWARD_DATABASE: 'postgresql://nobody@127.0.0.1:1/none' }
    expect((await runHere([folder, '--plan'], { env })).errors).toContain('127.0.0.1:1')
  })
})
