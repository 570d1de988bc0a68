import crypto from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  createMemoryStore,
  createModel,
  createBusinessObjects,
  defineObject,
  verifyPasswordHash,
} from '@steward/rest-core'
import type { ObjectStore, StoreSession } from '@steward/rest-core'
import { expect, onTestFinished, test } from 'vitest'
import { replaceScrypt, useCheapPasswords } from '../../../../../tests/cheap-passwords.js'
import { boss, temporaryFolder } from './exchange-for-test.js'
import { importFile } from './import-file.js'

useCheapPasswords()

const Member = defineObject({
  name: 'Member',
  fields: {
    mem_code: { type: 'string', length: 20, key: true },
    mem_name: { type: 'string' },
    mem_pin: { type: 'password' },
  },
})

/** A service that counts which transactions are open whenever a password is hashed. */
function watchedService() {
  const store = createMemoryStore()
  let open = 0
  const counting: ObjectStore = {
    ...store,
    capabilities: store.capabilities,
    transaction: <T>(work: (session: StoreSession) => Promise<T>) =>
      store.transaction((session) => {
        open++
        return work(session).finally(() => open--)
      }),
  }
  const { scrypt } = crypto
  const openWhileHashed: number[] = []
  replaceScrypt(((...given: Parameters<typeof scrypt>) => {
    openWhileHashed.push(open)
    scrypt(...given)
  }) as typeof scrypt)
  onTestFinished(() => replaceScrypt(scrypt))
  const model = createModel([Member])
  return { service: createBusinessObjects({ model, store: counting }), model, store, openWhileHashed }
}

async function file(name: string, text: string): Promise<string> {
  const path = join(await temporaryFolder(), name)
  await writeFile(path, text)
  return path
}

test('no transaction is open while passwords of an import are hashed, for new records and for changed ones', async () => {
  const { service, model, store, openWhileHashed } = watchedService()
  const first = await file('Member.csv', 'mem_code,mem_pin\na,one\nb,two\nc,\n')
  const report = await importFile(service, boss, { format: 'csv', path: first, object: 'Member' })
  expect(report).toEqual({ Member: { created: 3, updated: 0, deleted: 0, unchanged: 0 } })
  expect(openWhileHashed.splice(0)).toEqual([0, 0])

  const data = (values: object) => ({ name: 'Member', action: 'upsert', data: values })
  const changes = [data({ mem_code: 'a', mem_name: 'Ann', mem_pin: 'three' }), data({ mem_code: 'c', mem_pin: '' })]
  const second = await file('members.json', JSON.stringify(changes))
  const changed = await importFile(service, boss, { format: 'json', path: second })
  expect(changed).toEqual({ Member: { created: 0, updated: 1, deleted: 0, unchanged: 1 } })
  expect(openWhileHashed.splice(0)).toEqual([0])

  const object = model.object('Member')
  for (const [rowId, pin] of [
    ['1', 'three'],
    ['2', 'two'],
  ] as const) {
    const stored = await store.get(object, rowId, { select: { fields: object.fields } as never })
    expect(await verifyPasswordHash(pin, String(stored?.['mem_pin']))).toBe(true)
  }
})

test('what is wrong with a file with passwords is said by its import', async () => {
  const { service } = watchedService()
  const path = await file('Member.csv', 'mem_code,mem_pin\na,one\nb,"two\n')
  await expect(
    importFile(service, boss, { format: 'csv', path, object: 'Member', name: 'Member.csv' }),
  ).rejects.toThrow(/Member\.csv/)
  expect(await service.count(boss, 'Member', {})).toMatchObject({ count: 0 })
})
