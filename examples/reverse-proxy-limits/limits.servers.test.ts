import type { ReverseProxy, ReverseProxyParts } from '@steward/manager-core'
import { testReverseProxy } from '@steward/manager-core/testing'
import { describe, expect, it } from 'vitest'
import { startNginx } from '../../tests/servers/nginx.js'
import { toolIsMissing } from '../../tests/servers/tools.js'
import { reverseProxy } from './src/index.js'

const missing = toolIsMissing('nginx')
if (missing !== undefined) process.stderr.write(`Tests of a reverse proxy are skipped: ${missing}\n`)
const type = '@steward/example-reverse-proxy-limits'

it('each generation has the limit, beside what nginx has anyway', () => {
  const nginx = { type: 'nginx', render: () => new Map([['00-steward.conf', 'server {}']]) } as unknown as ReverseProxy
  const parts = { builtIn: { nginx: () => nginx } } as unknown as ReverseProxyParts
  const files = reverseProxy.make(parts).render({} as never, {} as never, '1.22.1')
  expect([...files.keys()]).toEqual(['00-steward.conf', '00-limits.conf'])
  expect(files.get('00-limits.conf')).toContain('limit_conn steward 100;')
})

describe.skipIf(missing !== undefined)('nginx with a limit of requests', () => {
  testReverseProxy(
    async (options) => {
      const nginx = await startNginx(options)
      const settings = nginx.settings.map((line) => line.replace('APPS_HTTPSERVER=nginx', `APPS_HTTPSERVER=${type}`))
      return {
        type,
        http: nginx.http,
        https: nginx.https,
        mainFile: nginx.mainFile,
        folder: nginx.folder,
        settings,
        get pid() {
          return nginx.pid
        },
        log: () => nginx.log(),
        start: () => nginx.start(),
        stop: () => nginx.stop(),
        close: () => nginx.close(),
      }
    },
    {
      header: 'add_header X-Snippet yes;',
      wrong: 'no_such_directive on;',
      breakOut: '} location /other { return 200;',
      comment: '# nothing',
      other: (host, port) => `server { listen ${port}; server_name ${host}; return 204; }`,
    },
  )
})
