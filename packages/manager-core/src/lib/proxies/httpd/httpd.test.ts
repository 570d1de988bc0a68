import { describe } from 'vitest'
import { startHttpd } from '../../../../../../tests/servers/httpd.js'
import { toolIsMissing } from '../../../../../../tests/servers/tools.js'
import { testReverseProxy } from '../contract/proxy-suite.js'

const missing = toolIsMissing('apache2')
if (missing !== undefined) process.stderr.write(`Tests of Apache httpd are skipped: ${missing}\n`)

describe.skipIf(missing !== undefined)('Apache httpd', () =>
  testReverseProxy(startHttpd, {
    header: 'Header always set X-Snippet yes',
    wrong: 'NoSuchDirective On',
    breakOut: '</Location>',
    comment: '# nothing',
    other: (host, port) =>
      `<VirtualHost *:${port}>\nServerName ${host}\nRewriteEngine On\nRewriteRule ^ - [R=204,L]\n</VirtualHost>`,
  }),
)
