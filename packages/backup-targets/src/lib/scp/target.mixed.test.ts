/** @module-tag mixed */
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { startSshd, type TestSshd } from '../../../../../tests/servers/sshd.js'
import { openTarget } from '../../index.js'
import { testBackupTarget } from '../../testing.js'
import { madeUpBytes, pieces } from '../checks/made-up.js'

const missing = toolIsMissing('sshd') ?? toolIsMissing('ssh')

describe.skipIf(missing)('OpenSSH', () => {
  let sshd: TestSshd
  beforeAll(async () => {
    sshd = await startSshd({})
  })
  afterAll(() => sshd?.close())
  testBackupTarget({ name: 'scp', open: () => openTarget({ type: 'scp', options: sshd.options }) })

  it('hashes what is there on the server', { tags: 'core' }, async () => {
    const target = await openTarget({ type: 'scp', options: sshd.options })
    expect(target.capabilities.hashes).toEqual(['sha256'])
    await target.close()
  })

  it('delete() leaves no empty folder', { tags: 'core' }, async () => {
    const target = await openTarget({ type: 'scp', options: sshd.options })
    await target.put('set/of/files', pieces(madeUpBytes(10)))
    await target.delete('set/of/files')
    expect(readdirSync(sshd.store)).not.toContain('set')
    await target.close()
  })
})
it.skipIf(!missing)('is tested with a real server', { tags: 'core' }, ({ skip }) => skip(missing))
