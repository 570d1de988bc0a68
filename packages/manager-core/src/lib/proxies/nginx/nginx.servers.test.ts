import { describe } from 'vitest'
import { startNginx } from '../../../../../../tests/servers/nginx.js'
import { toolIsMissing } from '../../../../../../tests/servers/tools.js'
import { testReverseProxy } from '../contract/proxy-suite.js'

const missing = toolIsMissing('nginx')
if (missing !== undefined) process.stderr.write(`Tests of nginx are skipped: ${missing}\n`)

describe.skipIf(missing !== undefined)('nginx', () =>
  testReverseProxy(startNginx, {
    header: 'add_header X-Snippet yes;',
    wrong: 'no_such_directive on;',
    breakOut: '} location /other { return 200;',
    comment: '# nothing',
    other: (host, port) => `server { listen ${port}; server_name ${host}; return 204; }`,
  }),
)
