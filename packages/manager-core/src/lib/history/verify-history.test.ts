import { afterEach, beforeEach, expect, it } from 'vitest'
import { sqlite } from '../store/sqlite.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { verifyHistory } from './verify-history.js'

let test: TestManager

beforeEach(async () => {
  test = await createTestManager({ refresh: false })
  add(10)
})

afterEach(() => test.close())

function add(count: number, actor = 'ann'): void {
  test.context.registry.transaction((writer) => {
    for (let n = 0; n < count; n++)
      writer.addHistory({
        ...{ at: '2026-11-21T12:00:00.000Z', actor, surface: 'api', address: '192.0.2.1', action: 'start' },
        ...{
          instanceId: 'ademo',
          instance: 'demo',
          parameters: { n },
          result: 'ok',
          message: '',
          operation: '',
          duration: n,
        },
      })
  })
}

const exec = (sql: string) => test.context.registry[sqlite].exec(sql)
const verify = (expect?: string) => test.perform('history verify', expect === undefined ? {} : { expect })

it('is as it was written', async () => {
  const { message, item, exitCode } = await verify()
  expect(message).toMatch(/^The history is intact: 10 entries. Head: 10:[0-9a-f]{64}$/)
  expect(item).toMatchObject({ entries: 10, unsealed: 0, faults: [] })
  expect(exitCode).toBe(0)
})

it.each([
  ['who did it is changed', `update history set actor = 'bob' where id = 4`, '4: The entry or its hash was changed.'],
  [
    'a parameter is changed',
    `update history set parameters = '{}' where id = 4`,
    '4: The entry or its hash was changed.',
  ],
  ['from where is changed', `update history set address = '' where id = 4`, '4: The entry or its hash was changed.'],
  ['entries are removed', 'delete from history where id in (4, 5)', '6: Missing: entries 4 to 5.'],
  ['the first one is removed', 'delete from history where id = 1', '2: Missing: entry 1.'],
  ['the last ones are removed', 'delete from history where id > 7', '10: Missing: entries 8 to 10.'],
  ['all are removed', 'delete from history', '10: Missing: entries 1 to 10.'],
  ['a hash is removed', `update history set hash = '' where id = 4`, '4: Its hash was removed.'],
  [
    'two are swapped',
    `update history set id = -4 where id = 4; update history set id = 4 where id = 5; update history set id = 5 where id = -4`,
    '4: The entry or its hash was changed.',
  ],
])('reports when %s', async (_, sql, fault) => {
  exec(sql)
  const { message, exitCode } = await verify()
  expect(message).toContain(fault)
  expect(exitCode).toBe(1)
})

it('a head that was kept elsewhere proves all up to it, also when all hashes were made again', async () => {
  const { head } = await verifyHistory(test.context.registry)
  add(5)
  expect((await verify(head)).exitCode).toBe(0)
  // As a user would who can write the file: another history of the same length.
  exec(`delete from history; delete from sqlite_sequence where name = 'history'`)
  add(15, 'bob')
  expect((await verify()).exitCode).toBe(0)
  expect((await verify(head)).message).toContain('10: It is not the expected entry.')
  expect((await verify(`99:${'a'.repeat(64)}`)).message).toContain('99: The expected entry is missing.')
  await expect(verify('99')).rejects.toMatchObject({ code: 'ERR_USAGE' })
})

it('entries from before the hashes are reported, and come before all others', async () => {
  exec(`update history set hash = ''`)
  expect((await verify()).message).toBe(
    'The history is intact: 10 entries. 10 of them were written before entries had hashes.',
  )
  add(1)
  expect((await verify()).message).toContain('11 entries. 10 of them were written before entries had hashes. Head: 11:')
})

it('looks at many without keeping others waiting', async () => {
  add(5_100)
  const { entries, faults } = await verifyHistory(test.context.registry)
  expect({ entries, faults }).toEqual({ entries: 5110, faults: [] })
})
