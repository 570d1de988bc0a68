/** @module-tag mixed */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, it } from 'vitest'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { startNginx } from '../../../../../tests/servers/nginx.js'
import { testCrashes } from '../testing/crash-suite.js'

const missing = toolIsMissing('nginx')
if (missing === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'steward-published-'))
  const proxy = await startNginx({ include: join(folder, 'live') })
  afterAll(async () => {
    await proxy.close()
    rmSync(folder, { recursive: true })
  })
  const config = [
    ...proxy.settings,
    'export APPS_SLEEP_AFTER=3600',
    `export APPS_PROXYDIR=${folder}`,
    'export APPS_SSL=false',
  ]
  testCrashes(['restart', 'upgrade', 'rollback', 'sleep', 'start'], { proxied: true, config })
} else it(`restart, upgrade and rollback without downtime: ${missing}`, (context) => context.skip(missing))
