import { afterAll, beforeAll, describe, it } from 'vitest'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { startProftpd, type TestProftpd } from '../../../../../tests/servers/proftpd.js'
import { openTarget } from '../../index.js'
import { testBackupTarget } from '../../testing.js'

const missing = toolIsMissing('proftpd')

describe.skipIf(missing)('ProFTPD, TLS: none', { concurrent: true }, () => {
  let proftpd: TestProftpd
  beforeAll(async () => {
    proftpd = await startProftpd({ tls: 'none' })
  })
  afterAll(() => proftpd?.close())
  testBackupTarget({ name: 'ftp', open: () => openTarget({ type: 'ftp', options: proftpd.options }) })
})
it.skipIf(!missing)('is tested with a real server', ({ skip }) => skip(missing))
