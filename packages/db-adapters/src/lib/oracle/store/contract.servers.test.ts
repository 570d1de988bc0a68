import { testObjectStore } from '@steward/rest-core/testing'
import { beforeEach } from 'vitest'
import { contractSize } from '../../../../../../tests/contract-size.js'
import { freshDatabase, needs, needsH2 } from '../../../../../../tests/servers/index.js'
import { shutDown } from '../../../../test/h2-client.js'
import { h2Oracledb } from '../../../../test/h2-oracledb.js'
import { createOracleStore, openOracleStore } from './adapter.js'

needs('oracle', (url) => {
  testObjectStore(
    'store',
    async () => {
      const database = await freshDatabase(url)
      const open = () => createOracleStore({ connection: database.url })
      return { store: open(), reopen: async () => open(), dispose: () => database.drop() }
    },
    contractSize,
  )
})

const utf16 = 'H2 counts and sorts the two halves of a character beyond U+FFFF, Oracle characters'
const unlocked = 'H2 does not lock the row that a new reference leads to, Oracle does'
const deferred = 'H2 checks references at once, Oracle at the end of the transaction when it is told to'

/** What cannot be shown on H2, by the names of tests. */
const leftOut: Readonly<Record<string, string>> = {
  'insert, get and update keep every value of itm_string': utf16,
  'every operator finds the right records on every field of Region': utf16,
  'every operator finds the right records on every field of Item': utf16,
  'every operator finds the right records on every field of Note': utf16,
  'like: wildcards, escapes and the case of A–Z': utf16,
  'every ordered field of Item sorts up and down, empty values first and last, then by row id': utf16,
  'every ordered field of Note sorts up and down, empty values first and last, then by row id': utf16,
  'several fields sort one after the other': utf16,
  'pages cut the same sequence, without gaps and repetitions': utf16,
  'every ordered field of Item, up and down, gives each record once': utf16,
  'every ordered field of Note, up and down, gives each record once': utf16,
  'several fields in mixed directions, pages of one record, the last one without a cursor': utf16,
  'pages by cursor over fields far from Note give each record once': utf16,
  'records of Note are answered, found, sorted, counted and grouped as they are seen': utf16,
  'load() takes rows with their ids in any order, and later ones get the ids after them': deferred,
  'a dump holds everything, and what was loaded from it is dumped again as it was': deferred,
  'snapshot() shows one moment while others write': deferred,
  'of a concurrent delete and a new reference to the row one is refused': unlocked,
}

needsH2((fresh) => {
  beforeEach(({ task, skip }) => {
    const reason = leftOut[task.name]
    if (reason !== undefined) skip(reason)
  })
  testObjectStore(
    'store',
    async () => {
      const url = fresh()
      const open = () =>
        openOracleStore({ connection: 'oracle://sa:sa@localhost/h2' }, () => Promise.resolve(h2Oracledb(url)))
      return { store: open(), reopen: async () => open(), dispose: () => shutDown(url) }
    },
    contractSize,
  )
})
