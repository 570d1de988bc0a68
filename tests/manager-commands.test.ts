import { fileURLToPath } from 'node:url'
import { actions } from '@steward/manager-core'
import { expect, test } from 'vitest'
import { commandReference } from './programs/manager-commands.js'

// After a change of the action table: npx vitest run tests/manager-commands.test.ts -u
test('docs/manager-commands.md is what the action table says', async () => {
  const file = fileURLToPath(new URL('../docs/manager-commands.md', import.meta.url))
  await expect(commandReference(actions)).toMatchFileSnapshot(file)
})
