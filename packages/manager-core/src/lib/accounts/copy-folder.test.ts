import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createTestHome } from '../testing/test-home.js'
import { canUseAccounts } from '../testing/reachable-checkout.js'
import { copyFolder, type CopyOptions } from './copy-folder.js'
import { give } from './give.js'
import { makeAccount, removeAccount } from './system-accounts.js'

function fixture() {
  const folder = createTestHome()
  chmodSync(folder, 0o711)
  const from = join(folder, 'from')
  for (const path of ['ab/one/content', 'ab/one/deep/er', 'ab/two/content', "cd/it's *?/content", 'top']) {
    mkdirSync(dirname(join(from, path)), { recursive: true })
    writeFileSync(join(from, path), path)
  }
  const to = join(folder, 'to')
  const copied = async (options: CopyOptions) => {
    await copyFolder(from, to, options)
    const entries = readdirSync(to, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(to.length + 1))
      .toSorted()
  }
  return { folder, from, copied }
}

const only = ['ab/one', "cd/it's *?", 'ef/gone']
const expected = ['ab/one/content', 'ab/one/deep/er', "cd/it's *?/content"]

it('copyFolder() with `only` copies these folders, and leaves out those that are gone', async () => {
  expect(await fixture().copied({ only })).toEqual(expected)
})

it.runIf(canUseAccounts(import.meta.url))('copyFolder() does the same for an account', async () => {
  const { folder, from, copied } = fixture()
  const name = `steward-c${process.pid}`
  const reader = await makeAccount(name, folder)
  onTestFinished(() => removeAccount(name, folder))
  await give(from, reader)
  expect(await copied({ only, reader, writer: reader })).toEqual(expected)
})
