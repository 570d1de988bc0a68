import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { asAccount } from '../accounts/account.js'
import { whyNoAccounts } from '../testing/reachable-checkout.js'
import { nobody } from './check-template-code.js'
import { withReadableCopy } from './readable-copy.js'

const app = mkdtempSync(join(tmpdir(), 'steward-closed-'))
writeFileSync(join(app, 'app.yaml'), 'name: shop\n', { mode: 0o600 })
afterAll(() => rmSync(app, { recursive: true }))

it('without an account works with the folder itself', async () => {
  expect(await withReadableCopy(app, undefined, async (folder) => folder)).toBe(app)
})

it('gives an account a copy that it can read and that is removed afterwards', async ({ skip }) => {
  if (whyNoAccounts !== undefined) return skip(whyNoAccounts)
  const copy = await withReadableCopy(app, nobody, async (folder) => {
    expect(statSync(join(folder, 'app.yaml'))).toMatchObject({ uid: nobody.uid, gid: nobody.gid })
    const [program, before] = asAccount(nobody, '/bin/cat')
    expect(execFileSync(program, [...before, join(folder, 'app.yaml')], { encoding: 'utf8' })).toBe('name: shop\n')
    return folder
  })
  expect(existsSync(join(copy, '..'))).toBe(false)
  expect(statSync(join(app, 'app.yaml')).uid).toBe(0)
})
