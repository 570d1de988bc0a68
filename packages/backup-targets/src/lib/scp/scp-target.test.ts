import { afterAll, beforeAll, describe, it } from 'vitest'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { startSshd, type TestSshd } from '../../../../../tests/servers/sshd.js'
import { openTarget } from '../../index.js'
import { testBackupTarget } from '../../testing.js'

const missing = toolIsMissing('sshd') ?? toolIsMissing('ssh')

for (const sftp of [undefined, 'forced', 'none'] as const) {
  describe.skipIf(missing)(`OpenSSH, sftp: ${sftp}`, () => {
    let sshd: TestSshd
    beforeAll(async () => {
      sshd = await startSshd(sftp === undefined ? {} : { sftp })
    })
    afterAll(() => sshd?.close())
    testBackupTarget({ name: 'scp', open: () => openTarget({ type: 'scp', options: sshd.options }) })
  })
}
it.skipIf(!missing)('is tested with a real server', ({ skip }) => skip(missing))
