import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPages, type TestPages } from '../../packages/manager-server/src/ui-for-test.js'

const execute = promisify(execFile)
const program = fileURLToPath(new URL('add-instance.ts', import.meta.url))
let pages: TestPages
let token: string

beforeAll(async () => {
  pages = await startPages()
  const { item } = await pages.manager.perform('token add', { name: 'example', abilities: 'operate' })
  token = (item as { readonly token: string }).token
})
afterAll(() => pages?.close())

function run(...args: readonly string[]) {
  const env = { ...process.env, MANAGER_URL: new URL(pages.url).origin, MANAGER_TOKEN: token }
  return execute(process.execPath, [program, ...args], { env })
}

test('an instance is added, and its steps are shown as they are done', async () => {
  const { stdout } = await run('shop')
  expect(stdout.split('\n')).toEqual(
    expect.arrayContaining(['  Start the instance', expect.stringMatching(/^Instance "shop" .* is started: http:/)]),
  )
  expect(pages.manager.instance('shop')).toMatchObject({ name: 'shop', observed: 'started' })
})

test('what the manager refuses ends it with its message', async () => {
  await expect(run('a b')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"a b" is not a valid instance name'),
  })
})
