import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startHttpd } from '../../../../../../tests/servers/httpd.js'
import { toolIsMissing } from '../../../../../../tests/servers/tools.js'
import { listPids, statOf } from '../../system/process-table.js'
import { startProxyUnderTest, type ProxyUnderTest } from '../contract/proxy-under-test.js'
import { testReverseProxy } from '../contract/proxy-suite.js'
import { drained } from '../drain.js'
import { readState } from '../proxy-state.js'

const missing = toolIsMissing('apache2')
if (missing !== undefined) process.stderr.write(`Tests of Apache httpd are skipped: ${missing}\n`)

describe.skipIf(missing !== undefined)('Apache httpd', () => {
  testReverseProxy(startHttpd, {
    header: 'Header always set X-Snippet yes',
    wrong: 'NoSuchDirective On',
    breakOut: '</Location>',
    comment: '# nothing',
    other: (host, port) =>
      `<VirtualHost *:${port}>\nServerName ${host}\nRewriteEngine On\nRewriteRule ^ - [R=204,L]\n</VirtualHost>`,
  })

  describe('a worker that is started between the look at all of them and the reload', () => {
    let under: ProxyUnderTest
    beforeAll(async () => {
      under = await startProxyUnderTest(startHttpd)
    })
    afterAll(() => under.close())

    it('is waited for: it serves by the former configuration', async () => {
      const { proxy, test } = under
      await under.add('demo')
      await under.publish()
      const [asked, goOn] = [join(test.folder, 'asked'), join(test.folder, 'go-on')]
      const program = join(test.folder, 'program')
      const wait = `touch ${asked}; until [ -e ${goOn} ]; do sleep 0.01; done`
      const real = String(test.context.settings.global.proxy.command)
      writeFileSync(program, `#!/bin/sh\ncase "$*" in *graceful*) ${wait};; esac\nexec ${real} "$@"\n`, { mode: 0o755 })
      under.set([`export APPS_PROXYCOMMAND=${program}`])
      const workers = () => listPids().filter((pid) => statOf(pid)?.parent === proxy.pid)

      await under.add('other')
      const published = under.publish()
      await expect.poll(() => existsSync(asked)).toBe(true)
      const listed = workers()
      for (const pid of listed) process.kill(pid, 'SIGKILL')
      await expect.poll(() => workers().some((pid) => !listed.includes(pid))).toBe(true)
      const upload = beginUpload(proxy.http, `demo.apps.test:${proxy.http}`)
      await upload.begun
      const late = workers()
      writeFileSync(goOn, '')
      expect((await published).state).toBe('published')

      const folder = join(test.home, 'proxy')
      const retiring = readState(folder).retiring.map(({ pid }) => pid)
      expect(retiring.filter((pid) => late.includes(pid) && !listed.includes(pid))).not.toEqual([])
      expect(await drained(folder, { timeoutMs: 0 })).toBe(false)
      expect(await upload.end()).toBe(200)
      expect(await drained(folder, { timeoutMs: 60_000 })).toBe(true)
      rmSync(program)
    })
  })
})

/** A POST whose body is half there: `begun` when the proxy asks for it, `end` with the status of its answer. */
function beginUpload(port: number, host: string) {
  const headers = { Host: host, Expect: '100-continue', 'Content-Length': 4 }
  const upload = request({ host: '127.0.0.1', port, method: 'POST', path: '/', headers, agent: false })
  const begun = new Promise((resolve, reject) => {
    upload.once('continue', resolve).once('error', reject)
  })
  upload.flushHeaders()
  const answered = new Promise<number | undefined>((resolve, reject) => {
    upload.once('response', (response) => resolve(response.resume().statusCode)).once('error', reject)
  })
  return {
    begun: begun.then(() => upload.write('ab')),
    end() {
      upload.end('cd')
      return answered
    },
  }
}
