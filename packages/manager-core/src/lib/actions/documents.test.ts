import { mkdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withParts } from '../domain/ability.js'
import type { Caller } from '../domain/caller.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { testInstance } from '../testing/made-up-operation.js'

// Nothing listens there: what is allowed fails as it cannot be reached.
const own = 's3://papers/shop?endpoint=http://127.0.0.1:1'
const keys = ['APPS_DOCUMENTS_ACCESS_KEY=key', 'APPS_DOCUMENTS_SECRET_KEY=secret']
let test: TestManager

beforeAll(async () => {
  test = await createTestManager({ config: [`APPS_DOCUMENTS='${own}'`, ...keys] })
  // In its folder: a bucket that is not there makes no new instance.
  const { folder } = test.context.home.instance('idemo123')
  test.context.registry.transaction((writer) =>
    writer.insertInstance(testInstance({ id: 'idemo123', name: 'demo', port: 20_000 })),
  )
  mkdirSync(folder, { recursive: true })
})
afterAll(() => test.close())

const scoped = (...abilities: readonly ('admin' | 'sensitive')[]): Pick<Caller, 'surface' | 'grant'> => ({
  surface: 'api',
  grant: {
    abilities: withParts(abilities),
    scope: { all: false, instances: new Set(['idemo123']), hosts: new Set() },
  },
})
const moving = (to: string, caller: Pick<Caller, 'surface' | 'grant'>) =>
  test.perform('movedocuments', { name: 'demo', to }, { ...caller, dryRun: true }).catch((error: unknown) => error)
const refused = expect.objectContaining({ code: 'ERR_ACCESS', message: expect.stringContaining('"sensitive"') })

it.each([
  's3://elsewhere/shop?endpoint=http://127.0.0.1:1',
  's3://papers/shop?endpoint=https://evil.example.org',
  's3://papers/shopping?endpoint=http://127.0.0.1:1',
  's3://papers/?endpoint=http://127.0.0.1:1',
  's3://papers/shop/../other?endpoint=http://127.0.0.1:1',
  's3://key:secret@papers/shop?endpoint=http://127.0.0.1:1',
  'S3://PAPERS.example.org/shop',
])('movedocuments to %s needs the ability sensitive', async (to) => {
  expect(await moving(to, scoped('admin'))).toEqual(refused)
  expect(await moving(to, scoped('admin', 'sensitive'))).not.toEqual(refused)
})

it.each([own, 's3://papers/shop/new?endpoint=http://127.0.0.1:1', 'folder'])(
  'movedocuments to %s does not',
  async (to) => {
    expect(await moving(to, scoped('admin'))).not.toEqual(refused)
  },
)
