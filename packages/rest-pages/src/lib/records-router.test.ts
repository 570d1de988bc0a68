import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Router } from '@koa/router'
import { recordsRouter } from '@steward/rest-pages'
import Koa from 'koa'
import { expect, it, onTestFinished } from 'vitest'

/** Serves an application with the pages; gives the status, and where an answer leads or what the next middleware said. */
async function start(mount: (app: Koa) => void) {
  const app = new Koa()
  app.silent = true
  mount(app)
  app.use((context) => {
    context.body = 'next'
  })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return (method: string, path: string, accept = 'text/html') =>
    new Promise<unknown[]>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, headers: { accept } }, async (response) => {
        let text = ''
        for await (const part of response.setEncoding('utf8')) text += part as string
        const said = response.headers.location ?? (text === 'next' ? text : /<base href="([^"]*)"/.exec(text)?.[1])
        resolve([response.statusCode, ...(said === undefined ? [] : [said])])
      })
      sent.on('error', reject).end()
    })
}

it.each([
  ['GET', '/', 302, 'ui/'],
  ['GET', '/ui', 302, 'ui/'],
  ['GET', '/shop', 302, 'shop/ui/'],
  ['GET', '/shop/', 302, 'ui/'],
  ['GET', '/ui/', 200, './'],
  ['GET', '/shop/ui/Task/1', 200, '../'],
  ['HEAD', '/shop/ui/Task/1', 200],
  ['GET', '/ui/a/b/', 200, '../../'],
  ['GET', '/favicon.ico', 200],
  ['GET', '/ui/assets/none.js', 404],
  ['GET', '//', 200, 'next'],
  ['GET', '/UI/', 200, 'next'],
  ['POST', '/ui/', 200, 'next'],
  ['GET', '/uix', 200, 'next'],
  ['GET', '/api/rest', 200, 'next'],
])('recordsRouter() answers %s %s with %i %s', async (method, path, ...expected) => {
  const ask = await start((app) => app.use(recordsRouter({ prefix: ['/shop', ''] }).routes() as Koa.Middleware))
  expect(await ask(method, path)).toEqual(expected)
})

it('recordsRouter() leaves programs, and everything while it is not enabled, to the next middleware', async () => {
  let enabled = true
  const ask = await start((app) => app.use(recordsRouter({ enabled: () => enabled }).routes() as Koa.Middleware))
  expect(await ask('GET', '/', 'application/json')).toEqual([200, 'next'])
  enabled = false
  for (const path of ['/', '/ui/', '/ui/Task', '/favicon.ico']) expect(await ask('GET', path)).toEqual([200, 'next'])
})

it('recordsRouter() works in another router, with its prefix', async () => {
  const ask = await start((app) => {
    const router = new Router({ prefix: '/tenant' })
    router.use(recordsRouter().routes())
    app.use(router.routes())
  })
  expect(await ask('GET', '/tenant')).toEqual([302, 'tenant/ui/'])
  expect(await ask('GET', '/tenant/ui/Task/1')).toEqual([200, '../'])
  expect(await ask('GET', '/ui/')).toEqual([200, 'next'])
})
