import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serve, type TestServer } from '../../packages/rest-koa/src/lib/testing/serve.js'
import { accessibilityProblems, needsBrowser, openPage } from '../../tests/browser.js'
import { createApp } from './app.ts'

let folder: string
let server: TestServer
let close: () => Promise<void>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-books-'))
  const created = await createApp(join(folder, 'books.db'), 'open sesame')
  close = created.close
  server = await serve(created.app)
})
afterAll(async () => {
  await server?.close()
  await close?.()
  await rm(folder, { recursive: true, force: true })
})

test('the page, the client and nothing else is served', async () => {
  const answer = await fetch(`${server.url}/client/index.js`)
  expect(answer.headers.get('content-type')).toContain('javascript')
  expect(await answer.text()).toContain('createClient')
  for (const path of ['/app.ts', '/client/../app.ts', '/page/page.js', '/books.db', '/nothing.js'])
    expect((await fetch(server.url + path)).status, path).toBe(404)
})

needsBrowser((browser) => {
  test('signs in, adds, finds and marks books, and shows what is refused', async () => {
    const { page, problems, close: closePage } = await openPage(browser(), `${server.url}/`, { width: 360 })
    const message = page.getByRole('status')
    const sees = (text: string) => message.filter({ hasText: text }).waitFor()

    await page.getByLabel('Login').fill('reader')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await sees('password')
    await page.getByLabel('Password').fill('open sesame')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await sees('Signed in as reader.')

    await page.getByRole('button', { name: 'Add' }).click()
    await sees('bok_title')
    for (const title of ['100% wool', 'Moby-Dick <b>']) {
      await page.getByRole('textbox', { name: 'Title' }).fill(title)
      await page.getByRole('textbox', { name: 'Pages' }).fill('635')
      await page.getByRole('button', { name: 'Add' }).click()
      await sees(`Added "${title}".`)
    }
    const entries = page.getByRole('listitem')
    await expect.poll(() => entries.allTextContents()).toEqual(['100% wool (635 pages)', 'Moby-Dick <b> (635 pages)'])
    await page.getByLabel('Find').fill('dick')
    await expect.poll(() => entries.allTextContents()).toEqual(['Moby-Dick <b> (635 pages)'])
    await page.getByLabel('Find').fill('0%')
    await expect.poll(() => entries.allTextContents()).toEqual(['100% wool (635 pages)'])
    const answered = page.waitForResponse((response) => response.request().method() === 'PUT')
    await page.getByRole('checkbox').check()
    expect(await (await answered).json()).toMatchObject({ bok_title: '100% wool', bok_read: true })

    expect(await accessibilityProblems(page)).toEqual([])
    expect(problems).toEqual([])
    await closePage()
  })
})
