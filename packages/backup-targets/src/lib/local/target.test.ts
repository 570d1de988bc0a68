import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { testBackupTarget } from '../testing/target-suite.js'
import { createLocalTarget } from './target.js'

let path: string

beforeAll(() => {
  path = mkdtempSync(join(tmpdir(), 'steward-local-'))
})

afterAll(() => rmSync(path, { recursive: true }))

testBackupTarget({ name: 'local', open: () => createLocalTarget({ path }) })
