import { testObjectStore } from '@steward/rest-core/testing'
import { beforeEach } from 'vitest'
import { contractSize } from '../../../../../../tests/contract-size.js'
import { needsH2 } from '../../../../../../tests/servers/index.js'
import { h2Oracledb } from '../../../../test/h2-oracledb.js'
import { shutDown } from '../../../../test/h2-client.js'
import { openOracleStore } from './adapter.js'

/** Tests that H2 fails whatever it is asked, by name. */
const leftOut: Readonly<Record<string, string>> = {}

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
