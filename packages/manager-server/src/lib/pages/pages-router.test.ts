import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPages, type TestPages } from '../../ui-for-test.js'

const script = `console.log(${JSON.stringify('steward '.repeat(500))})`

interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

describe('pages', () => {
  let pages: TestPages
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'steward-pages-'))
    mkdirSync(join(folder, 'assets'))
    writeFileSync(join(folder, 'index.html'), '<!doctype html><base href="/ui/" /><title>Pages</title>')
    writeFileSync(join(folder, 'assets', 'index-abc.js'), script)
    writeFileSync(join(folder, 'assets', 'index-abc.js.br'), brotliCompressSync(script))
    writeFileSync(join(folder, 'assets', 'index-abc.js.gz'), gzipSync(script))
    writeFileSync(join(folder, 'secret.txt'), 'not a page')
    writeFileSync(join(folder, 'favicon.png'), 'a picture')
    pages = await startPages({ ui: folder, config: ['export APPS_BASEURL=http://localhost:8000/manager'] })
  })
  afterAll(async () => {
    await pages?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Without a client that tidies paths up. */
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    new Promise<Got>((resolve, reject) => {
      const { hostname, port } = new URL(pages.url)
      const authorization = `Basic ${btoa('admin:admin')}`
      get({ hostname, port, path, method, headers: { authorization, ...headers } }, async (response) => {
        const parts: Buffer[] = []
        for await (const part of response) parts.push(part as Buffer)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) })
      }).on('error', reject)
    })

  it('are the same page at every address below /ui, which knows its base', async () => {
    for (const path of ['/manager/ui/', '/manager/ui/instances/demo', '/manager/ui/operations?state=failed']) {
      const { status, headers, body } = await ask(path)
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'text/html; charset=utf-8',
        'no-cache',
      ])
      expect(body.toString()).toContain('<base href="/manager/ui/" />')
    }
  })

  it('are where one is led to from the address of the manager', async () => {
    for (const path of ['/manager', '/manager/', '/manager/ui']) {
      const { status, headers } = await ask(path)
      expect([status, headers['location']]).toEqual([302, '/manager/ui/'])
    }
    expect((await ask('/ui/')).status).toBe(404)
  })

  it('have an icon at the address that browsers guess, for everyone', async () => {
    const { status, headers, body } = await ask('/manager/favicon.ico', { authorization: '' })
    expect([status, headers['content-type'], body.toString()]).toEqual([200, 'image/png', 'a picture'])
    expect(headers['cache-control']).toBe('public,max-age=86400')
  })

  it('send files compressed as the client knows it, to be kept for ever', async () => {
    const path = '/manager/ui/assets/index-abc.js'
    const brotli = await ask(path, { 'accept-encoding': 'gzip, deflate, br' })
    expect(brotli.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(brotli.body).toString()).toBe(script)
    expect(brotli.headers['cache-control']).toBe('public,max-age=31536000,immutable')
    expect(brotli.headers['vary']).toMatch(/Accept-Encoding/i)
    const gzip = await ask(path, { 'accept-encoding': 'gzip' })
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(gzip.body).toString()).toBe(script)
    const plain = await ask(path)
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.body.toString()).toBe(script)
    expect(plain.headers['content-type']).toMatch(/^text\/javascript/)
    const again = await ask(path, { 'if-none-match': String(plain.headers['etag']) })
    expect([again.status, again.body.length]).toEqual([304, 0])
    const head = await ask(path, {}, 'HEAD')
    expect([head.status, head.body.length]).toEqual([200, 0])
  })

  it('ask who it is, and have a strict content security policy', async () => {
    const { status, headers } = await ask('/manager/ui/', { authorization: 'Basic Og==' })
    expect(status).toBe(401)
    expect(headers['www-authenticate']).toMatch(/^Basic realm="/)
    const policy = String((await ask('/manager/ui/')).headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
    expect(policy).not.toContain('unsafe')
  })

  it('have no files but those of the pages', async () => {
    for (const path of [
      '/manager/ui/assets/gone.js',
      '/manager/ui/assets/',
      '/manager/ui/assets/../secret.txt',
      '/manager/ui/assets/..%2fsecret.txt',
      '/manager/ui/assets/..%5c..%5csecret.txt',
      '/manager/ui/assets/%00',
      '/manager/ui/assets/%',
      '/manager/ui/assets//etc/passwd',
    ]) {
      const { status, body } = await ask(path)
      expect([path, status]).toEqual([path, 404])
      expect(body.toString()).not.toContain('not a page')
    }
    expect((await ask('/manager/ui/', {}, 'POST')).status).toBe(404)
  })

  it('say so when they were not built', async () => {
    const bare = await startPages({ ui: join(folder, 'assets') })
    try {
      const response = await fetch(`${bare.url}/`, { headers: { authorization: `Basic ${btoa('admin:admin')}` } })
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'ERR_NOT_FOUND', help: 'Build them.' })
    } finally {
      await bare.close()
    }
  })
})
