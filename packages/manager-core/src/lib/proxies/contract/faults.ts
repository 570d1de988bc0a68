import { appendFileSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProxies } from '../create-proxies.js'
import type { ProductWords } from './product-words.js'
import type { ProxyUnderTest } from './proxy-under-test.js'

export function testFaults(under: () => ProxyUnderTest, words: ProductWords): void {
  const folder = () => join(under().test.home, 'proxy')

  describe('faults', () => {
    it('when somebody else broke the configuration nothing is changed, and it is told where', async () => {
      const { proxy } = under()
      await under().add('demo')
      await under().publish()
      const main = readFileSync(proxy.mainFile, 'utf8')
      const line = main.trimEnd().split('\n').length + 1
      appendFileSync(proxy.mainFile, `${words.wrong}\n`)
      await under().add('other')
      await expect(under().publish()).rejects.toThrow(`(${proxy.mainFile}:${line})`)
      const { exitCode, message } = await under().test.perform('proxy check')
      expect([exitCode, message.includes(proxy.mainFile)]).toEqual([1, true])
      writeFileSync(proxy.mainFile, main)
      expect((await under().call('demo.apps.test')).echo.name).toBe('demo')
      expect((await under().publish()).state).toBe('published')
      expect((await under().call('other.apps.test')).echo.name).toBe('other')
      expect(readdirSync(join(folder(), 'generations'))).toHaveLength(2)
    })

    it('a main file that does not include what is published is told with the line that it needs', async () => {
      const { proxy, test } = under()
      const main = readFileSync(proxy.mainFile, 'utf8')
      writeFileSync(proxy.mainFile, main.replaceAll(/^.*live\/\*\.conf.*$/gm, ''))
      await under().add('demo')
      await expect(under().publish()).rejects.toMatchObject({
        code: 'ERR_SETTINGS',
        help: expect.stringContaining(`${test.home}/proxy/live/*.conf`),
      })
    })

    it('what somebody changed by hand is put right', async () => {
      await under().add('demo')
      await under().publish()
      const live = join(folder(), 'live')
      writeFileSync(join(live, 'sites.conf'), words.comment)
      expect((await under().publish()).state).toBe('unchanged')
      expect((await under().publish({ repair: true })).state).toBe('published')
      expect((await under().call('demo.apps.test')).echo.name).toBe('demo')
      rmSync(live)
      expect((await under().publish()).state).toBe('published')
      rmSync(live)
      symlinkSync('/nowhere', live)
      expect((await under().publish()).state).toBe('published')
      expect((await under().publish({ repair: true })).state).toBe('unchanged')
      expect((await under().call('demo.apps.test')).echo.name).toBe('demo')
    })

    it('whoever was killed before the reload is made up for', async () => {
      await under().add('demo')
      await under().publish()
      const file = join(folder(), 'state.json')
      const state = JSON.parse(readFileSync(file, 'utf8')) as object
      writeFileSync(file, JSON.stringify({ ...state, reloaded: false }))
      expect((await under().publish()).state).toBe('published')
      expect((await under().publish()).state).toBe('unchanged')
      writeFileSync(file, '{"damaged')
      expect((await under().publish()).state).toBe('published')
    })

    it('the former configuration is put back when the program does not come with the new one', async () => {
      const { test } = under()
      await under().add('demo')
      await under().publish()
      // A program that says yes to everything, and does nothing.
      const program = join(test.folder, 'program')
      const real = test.context.settings.global.proxy.command
      const script = `#!/bin/sh\ncase "$*" in *reload*|*graceful*) exit 0;; esac\nexec ${real} "$@"\n`
      writeFileSync(program, script, { mode: 0o755 })
      under().set([`export APPS_PROXYCOMMAND=${program}`])
      await under().add('other')
      const before = readdirSync(join(folder(), 'live'))
      const proxies = createProxies(() => test.context, { takeOverMs: 300 })
      await expect(proxies.publish(test.caller)).rejects.toThrow('did not load the new configuration')
      expect(readdirSync(join(folder(), 'live'))).toEqual(before)
      expect((await under().call('demo.apps.test')).echo.name).toBe('demo')
      under().set()
      expect((await under().publish()).state).toBe('published')
      expect((await under().call('other.apps.test')).echo.name).toBe('other')
    })

    it('a host that another configuration of the machine answers is told', async () => {
      const { proxy } = under()
      const main = readFileSync(proxy.mainFile, 'utf8')
      const at = main.split('\n').findIndex((text) => text.includes('live/*.conf'))
      const lines = main.split('\n').toSpliced(at, 0, words.other('demo.apps.test', proxy.http))
      writeFileSync(proxy.mainFile, lines.join('\n'))
      await under().add('demo')
      expect((await under().publish()).warnings).toEqual([
        'Another configuration on this machine answers for demo.apps.test, not the one that the manager publishes.',
      ])
    })

    it('while the program does not run all is prepared, and served when it starts', async () => {
      const { proxy } = under()
      await proxy.stop()
      await under().add('demo')
      expect((await under().publish()).warnings).toEqual([
        `${proxy.type} is not running. The instances will be published when it starts.`,
      ])
      const { proxies } = under().test.context
      expect(await proxies.status()).toMatchObject({ running: false, problems: [{ kind: 'probe' }] })
      expect(await under().test.perform('proxy publish')).toMatchObject({
        message: expect.stringContaining('is not running, so nothing is published') as string,
        exitCode: 1,
      })
      const shown = await under().test.perform('proxy status')
      expect(shown).toMatchObject({
        message: expect.stringMatching(/is not running\.$/) as string,
        list: [{ name: 'demo', state: 'not-published' }],
      })
      await proxy.start()
      expect(await proxies.status()).toMatchObject({ running: true, problems: [] })
      expect((await under().call('demo.apps.test')).echo.name).toBe('demo')
    })
  })
}
