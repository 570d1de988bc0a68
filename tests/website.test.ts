import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../scripts/packages.mjs'
import { compose } from '../website/compose.js'
import { files, pathOf } from '../website/pages.js'
import { accessibilityProblems, keepScreenshot, needsBrowser, openPage, scrollsSideways } from './browser.js'

describe('the pages of the site', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-site-'))
  beforeAll(() => compose(folder))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('are all documents and READMEs, each once', () => {
    const written = [
      ...globSync('docs/**/*.md', { cwd: root, exclude: (name) => name === 'reference' }),
      ...globSync('{packages,examples}/*/README.md', { cwd: root }),
    ]
      .filter((file) => !file.includes('node_modules'))
      .map((file) => file.replaceAll('\\', '/'))
    expect(written.filter((file) => !files.has(file))).toEqual([])
    const paths = [...files].map(pathOf)
    expect(new Set(paths).size).toBe(paths.length)
  })

  it('have links to pages and headings that exist, and to files of the repository', () => {
    const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
    expect(pages).toHaveLength(files.size)
    const textOf = (page: string) =>
      readFileSync(join(folder, page), 'utf8').replaceAll(/^[ \t]*```[^]*?```[ \t]*$/gm, '')
    const headings = new Map(pages.map((page) => [`/${page.slice(0, -3)}`, headingsOf(textOf(page))]))
    const wrong: string[] = []
    for (const page of pages)
      for (const [, address = '', heading = ''] of textOf(page).matchAll(/\]\(([^)\s#]*)(?:#([^)\s]*))?\)/g)) {
        if (/^[a-z]+:/.test(address)) continue
        const found = headings.get(address === '' ? `/${page.slice(0, -3)}` : address)
        if (!found || (heading !== '' && !found.has(heading))) wrong.push(`${page}: ${address}#${heading}`)
      }
    expect(wrong).toEqual([])
  })
})

/** As the site and the repository name them. */
function headingsOf(text: string): ReadonlySet<string> {
  const names = [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[`*_]|\[|\]\([^)]*\)/g, '')
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
      .trim()
      .replaceAll(/\s+/g, '-'),
  )
  return new Set(names)
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
}

/** Serves files as a plain web server does, below a path. */
function serve(folder: string, base: string): Server {
  return createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname)
    const asked = join(folder, path.slice(base.length))
    const file = [asked, `${asked}.html`, join(asked, 'index.html')].find(
      (each) => existsSync(each) && statSync(each).isFile(),
    )
    if (!path.startsWith(base) || file === undefined) return void response.writeHead(404).end()
    response.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' })
    response.end(readFileSync(file))
  })
}

// It installs and builds: only in `npm run test:deep`.
describe.runIf(process.env['TEST_DEEP'] === '1')('the site', () => {
  const base = '/steward/'
  const folder = join(root, 'website/dist')
  let server: Server
  let address: string
  beforeAll(async () => {
    const npm = (...args: readonly string[]) => execFileSync('npm', args, { cwd: join(root, 'website'), stdio: 'pipe' })
    npm('install', '--ignore-scripts', '--no-save')
    execFileSync(process.execPath, ['build.ts'], {
      cwd: join(root, 'website'),
      env: { ...process.env, SITE_BASE: base },
      stdio: 'pipe',
    })
    server = serve(folder, base).listen(0, '127.0.0.1')
    await once(server, 'listening')
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`
  }, 300_000)
  afterAll(() => server?.close())

  needsBrowser((browser) => {
    const looks = [360, 1280].flatMap((width) => (['light', 'dark'] as const).map((scheme) => [width, scheme] as const))

    it.each(looks)('fits at %d pixels, %s, is accessible, and asks no other server', async (width, colorScheme) => {
      for (const [name, path] of [
        ['front', ''],
        ['tutorial', 'tutorial'],
        ['commands', 'manager-commands'],
      ] as const) {
        const { page, problems, close } = await openPage(browser(), address + path, { width, colorScheme })
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        expect(await scrollsSideways(page), name).toBe(false)
        expect(await accessibilityProblems(page), name).toEqual([])
        await keepScreenshot(page, `site-${name}-${width}-${colorScheme}`)
        if (name === 'front') {
          const picture = await page.locator('.VPHero .image-src:visible').boundingBox()
          expect(picture?.width).toBeGreaterThanOrEqual(300)
          const title = await page.getByRole('heading', { level: 1 }).boundingBox()
          expect(
            picture!.x + picture!.width <= title!.x ||
              picture!.y + picture!.height <= title!.y ||
              picture!.x >= title!.x + title!.width,
          ).toBe(true)
        }
        expect(problems, name).toEqual([])
        await close()
      }
    })

    it('makes no link of the name of a file', () => {
      const linked = globSync('**/*.html', { cwd: folder }).flatMap((file) =>
        [...readFileSync(join(folder, file), 'utf8').matchAll(/href="https?:\/\/[\w-]+\.(?:md|ts|js|sh)[/"]/g)].map(
          ([link]) => `${file}: ${link}`,
        ),
      )
      expect(linked).toEqual([])
    })

    it('finds a page by its words, and leads to it', async () => {
      const { page, problems, close } = await openPage(browser(), address)
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('searchbox').fill('pivot')
      await page.getByRole('option').first().click()
      await page.waitForURL(/pivot-tables/)
      await page.getByRole('heading', { name: 'Pivot tables', level: 1 }).waitFor()
      expect(problems).toEqual([])
      await close()
    })
  })
})
