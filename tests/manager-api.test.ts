import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { actions } from '@steward/manager-core'
import { expect, test } from 'vitest'
import { apiReference } from './programs/manager-api.js'

// After a change of the action table: npx vitest run tests/manager-api.test.ts -u
test('docs/manager-api.md is what the action table says', async () => {
  const file = fileURLToPath(new URL('../docs/manager-api.md', import.meta.url))
  await expect(apiReference(readFileSync(file, 'utf8'), actions)).toMatchFileSnapshot(file)
})
