import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { Server } from 'node:http'
import Koa from 'koa'
import type { Middleware } from 'koa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  accessibilityProblems,
  keepScreenshot,
  needsBrowser,
  openPage,
  scrollsSideways,
} from '../../../../tests/browser.js'
import { startRouter } from './start-page.js'

let server: Server
let origin: string
let hasTester = true
let level: '3.0' | '5.1' = '5.1'

beforeAll(async () => {
  const app = new Koa()
  app.use((context, next) => {
    const definition = { name: 'shop', title: 'Shop <b>', version: '1.2.3', level }
    return (startRouter({ definition, hasTester: async () => hasTester }).routes() as Middleware)(context, next)
  })
  app.use((context) => {
    context.body = { next: context.path }
  })
  server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server?.close()
  server?.closeAllConnections()
})

const open = (path: string, accept = 'text/html,application/xhtml+xml,*/*;q=0.8') =>
  fetch(origin + path, { headers: { accept } })

/** Where the links of the page lead. */
async function links(path: string): Promise<string[]> {
  const html = await (await open(path)).text()
  return [...html.matchAll(/<a href="([^"]+)"/g)].map(([, address = '']) => {
    const { pathname, search } = new URL(address.replaceAll('&amp;', '&'), origin + path)
    return pathname + search
  })
}

it('a person sees what is served and where to continue; names are no HTML', async () => {
  const answer = await open('/')
  const html = await answer.text()
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
  expect(answer.headers.get('vary')).toBe('Accept')
  expect(html).toContain('<h1>Shop &lt;b&gt;</h1>')
  expect(html).not.toContain('<b>')
})

it.each([
  ['/', '/api', '/health'],
  ['/shop', '/shop/api', '/health'],
  ['/shop/', '/shop/api', '/health'],
])('links of %s lead to pages that are there', async (path, api, health) => {
  expect(await links(path)).toEqual([
    `${api}/tester`,
    `${api}/rest/?_doc=true&_output=html`,
    `${api}/rest/?_doc=true&_output=openapi`,
    health,
  ])
})

it('what the application does not have is not linked', async () => {
  hasTester = false
  level = '3.0'
  expect(await links('/')).toEqual(['/health'])
  hasTester = true
  level = '5.1'
})

it.each([
  ['/', 'application/json'],
  ['/', '*/*'],
  ['/shop', 'application/json, text/html;q=0.5'],
  ['/other', 'text/html'],
])('GET %s with Accept: %s is left to the next middleware', async (path, accept) => {
  expect(await (await open(path, accept)).json()).toEqual({ next: path })
})

it('has the mark of all pages', async () => {
  const file = new URL('../../../page-kit/src/brand/mark.svg', import.meta.url)
  const mark = encodeURIComponent(readFileSync(file, 'utf8').trim())
  expect(await (await open('/')).text()).toContain(`<link rel="icon" href="data:image/svg+xml,${mark}">`)
})

needsBrowser((browser) => {
  it.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('is accessible, and breaks no rule of its own (%s, %i)', async (colorScheme, width) => {
    const { page, problems, close } = await openPage(browser(), `${origin}/shop`, { colorScheme, width })
    await page.getByRole('link', { name: 'Tester' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    expect(problems).toEqual([])
    await keepScreenshot(page, `start-${colorScheme}`)
    await close()
  })
})
