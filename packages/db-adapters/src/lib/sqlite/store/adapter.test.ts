import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testObjectStore } from '@steward/rest-core/testing'
import { contractSize } from '../../../../../../tests/contract-size.js'
import { createSqliteStore } from '../../../sqlite.js'

testObjectStore(
  'createSqliteStore()',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
    const filename = join(folder, 'test.db')
    return {
      store: createSqliteStore({ filename }),
      reopen: async () => createSqliteStore({ filename }),
      dispose: async () => rmSync(folder, { recursive: true, force: true }),
    }
  },
  contractSize,
)
