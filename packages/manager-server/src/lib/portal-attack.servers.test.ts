import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { needsBrowser, openPage } from '../../../../tests/browser.js'
import { makeFolder } from '../../../../tests/servers/folders.js'
import { startNginx } from '../../../../tests/servers/nginx.js'
import { toolIsMissing } from '../../../../tests/servers/tools.js'
import { testInstance } from '../../../manager-core/src/lib/testing/made-up-operation.js'
import { basic, startServer } from '../server-for-test.js'

const reason = toolIsMissing('nginx')
const password = 'correct-horse-battery'

needsBrowser((browser) => {
  it.skipIf(reason !== undefined)(
    `an instance reaches neither the password of an operator nor the API in their name ${reason ?? ''}`,
    async () => {
      const seen: (string | undefined)[] = []
      let managers = ''
      const instance = createServer((request, response) => {
        seen.push(request.headers.authorization, request.headers.cookie)
        const attack = `fetch('${managers}/api?action=token-add&param=stolen&abilities=admin,sensitive', {credentials: 'include'})`
        response.writeHead(200, { 'Content-Type': 'text/html' })
        response.end(`<title>Portal</title><script>${attack}.finally(() => (document.title = 'Tried'))</script>`)
      })
      await new Promise<void>((resolve) => instance.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void instance.close())
      const folder = await makeFolder('portal')
      const nginx = await startNginx({ include: `${folder}/live` })
      onTestFinished(() => nginx.close())
      managers = `http://apps.localhost:${nginx.http}`
      const { manager, get, close } = await startServer({
        config: [
          `export APPS_BASEURL=${managers}`,
          `export APPS_PASSWORD=${password}`,
          `export APPS_PROXYDIR=${folder}`,
          ...nginx.settings,
          'export APPS_SSL=false',
          'export APPS_MONITORINTERVAL=0',
        ],
      })
      onTestFinished(close)
      const { registry } = manager.context
      const { port } = instance.address() as AddressInfo
      registry.transaction((writer) => writer.insertInstance(testInstance({ id: 'igamma', name: 'gamma', port })))
      const made = await manager.perform('token add', { name: 'gamma', abilities: 'operate', instances: 'gamma' })
      const { token } = made.item as { readonly token: string }
      const seturl = `/api?action=seturl&name=gamma&url=${managers}/portal`
      expect(await get(seturl, { authorization: `Bearer ${token}` })).toMatchObject({ status: 403 })
      expect(await get(seturl, { authorization: basic('admin', password) })).toMatchObject({ status: 400 })
      // An address that was given before this was refused.
      registry.transaction((writer) => writer.updateInstance('igamma', { customUrl: `${managers}/portal` }))
      await manager.perform('proxy publish')

      const { page, close: closePage } = await openPage(browser(), `${managers}/ui/`)
      await page.getByLabel('User name').fill('admin')
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: 'gamma', exact: true }).waitFor()
      const answer = await page.goto(`${managers}/portal/`)
      expect(answer?.status()).toBe(404)
      expect(seen).toEqual([])
      await page.goto(`http://gamma.apps.localhost:${nginx.http}/`)
      await expect.poll(() => page.title()).toBe('Tried')
      expect(new Set(seen)).toEqual(new Set([undefined]))
      const { list } = await manager.perform('token list')
      expect(list).toMatchObject([{ name: 'gamma' }])
      await closePage()
    },
  )
})
