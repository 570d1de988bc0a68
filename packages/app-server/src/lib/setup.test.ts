import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { loadSetup } from './setup.js'

it('loadSetup() names the file that cannot be loaded, and why', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-setup-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'setup.js'), 'export default async () => {\n  const x = 1\n')
  await expect(loadSetup(folder, 'setup.js')).rejects.toMatchObject({
    code: 'ERR_SETTINGS',
    message: expect.stringMatching(new RegExp(`^${join(folder, 'setup.js')}(?::\\d+)*: .`)) as string,
  })
})
