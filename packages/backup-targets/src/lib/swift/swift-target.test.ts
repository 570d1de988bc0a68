import { afterAll, beforeAll, describe, it } from 'vitest'
import { startSwift, toolIsMissing, type TestSwift } from '../../../../../tests/servers/index.js'
import { openTarget } from '../../index.js'
import { testBackupTarget } from '../../testing.js'

const missing = toolIsMissing('swift-proxy-server') ?? toolIsMissing('memcached')

describe.skipIf(missing)('OpenStack Swift', () => {
  let swift: TestSwift

  const open = (options: Record<string, string> = {}) =>
    openTarget({
      type: 'swift',
      options: {
        auth_url: swift.auth.url,
        username: swift.auth.user,
        password: swift.auth.key,
        container: 'backups',
        prefix: 'all/of-',
        part_mb: '0.25',
        ...options,
      },
      idleMs: 2000,
    })

  beforeAll(async () => {
    swift = await startSwift()
  })
  afterAll(() => swift?.close())

  testBackupTarget({ name: 'tempauth', open: () => open() })
})

it.skipIf(!missing)('is tested with a real server', ({ skip }) => skip(missing))
