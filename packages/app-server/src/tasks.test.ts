import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder, runCli, runHere, shopFiles } from './running-app-for-test.js'

const env = { STEWARD_ADMIN_PASSWORD: 's3cret-passw0rd' }

test('--import, --export and --unittests do their work without serving', async () => {
  const { folder, remove } = await makeFolder({
    ...shopFiles,
    'Product.csv': 'prd_code,prd_name\nA,Apple\nB,Banana\n',
    'wrong.csv': 'prd_code,prd_name\nC,\nD,x,y\n',
    'tests/counts.ts':
      'export default async function counts({ service, principal, assert }) { assert.equal((await service.count(principal, "Product")).count, 2) }',
  })
  onTestFinished(remove)
  const runProcess = (...args: string[]) => runCli([folder, ...args], { env, cwd: folder })
  const run = (...args: string[]) => runHere([folder, ...args], { env, cwd: folder })
  expect(await runProcess('--import', 'Product.csv')).toMatchObject({
    code: 0,
    output: 'Product: 2 created, 0 updated, 0 deleted, 0 unchanged\n',
  })
  expect(await runProcess('--unittests')).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^passed counts: counts \(\d+ ms\)\n1 passed, 0 failed\n$/),
  })
  const exported = JSON.parse((await run('--export', 'Product')).output ?? '') as { objects: { data: object[] }[] }
  expect(exported.objects[0]?.data).toEqual([
    { prd_code: 'A', prd_name: 'Apple' },
    { prd_code: 'B', prd_name: 'Banana' },
  ])
  expect((await run('--export', 'Product,Order', '--output', 'all.xml')).code).toBe(0)
  expect(await readFile(join(folder, 'all.xml'), 'utf8')).toContain('<name>Order</name>')
  const refused = await run('--import', 'wrong.csv', '--object', 'Product')
  expect(refused).toMatchObject({
    code: 1,
    errors: expect.stringContaining('wrong.csv, line 3: The record has another'),
  })
  await writeFile(join(folder, 'tests/counts.ts'), 'export default function counts({ assert }) { assert.ok(false) }')
  expect(await run('--unittests', 'counts')).toMatchObject({ code: 1, output: expect.stringContaining('FAILED') })
  expect(await run('--unittests', 'none')).toMatchObject({
    code: 1,
    errors: expect.stringContaining('there are: counts'),
  })
  expect(await run('--import', 'x.txt')).toMatchObject({ code: 1, errors: expect.stringContaining('the ending says') })
})
