import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { startSshd, type TestSshd } from '../../../../../tests/servers/sshd.js'
import { openTarget } from '../../index.js'
import { testBackupTarget } from '../../testing.js'
import { madeUpBytes, pieces } from '../checks/made-up.js'

const missing = toolIsMissing('sshd') ?? toolIsMissing('ssh')

/** Without commands there are no hashes, and what was cut is compared otherwise. */
const withoutCommands = [
  'an object is stored, found and read back',
  'what is not there is not found',
  'an interrupted upload resumes where it stopped',
  'an upload never resumes with other content',
  'what cut uploads left is swept, and nothing else',
  'capabilities are data that does not change',
]

describe.skipIf(missing)('OpenSSH, sftp: forced', () => {
  let sshd: TestSshd
  beforeAll(async () => {
    sshd = await startSshd({ sftp: 'forced' })
  })
  afterAll(() => sshd?.close())
  testBackupTarget({
    name: 'scp',
    open: () => openTarget({ type: 'scp', options: sshd.options }),
    only: withoutCommands,
  })

  it('delete() leaves no empty folder', async () => {
    const target = await openTarget({ type: 'scp', options: sshd.options })
    await target.put('set/of/files', pieces(madeUpBytes(10)))
    await target.delete('set/of/files')
    expect(readdirSync(sshd.store)).not.toContain('set')
    await target.close()
  })
})
it.skipIf(!missing)('is tested with a real server', ({ skip }) => skip(missing))
