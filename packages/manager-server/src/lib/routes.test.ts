import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPages, type TestPages } from '../ui-for-test.js'

/** Method and path as they are sent; status, and where it matters `Allow` or `Location`. */
const answers: readonly (readonly [method: string, path: string, status: number, header?: string])[] = [
  ['GET', '', 302, '/ui/'],
  ['GET', '/', 302, '/ui/'],
  ['POST', '/', 302, '/ui/'],
  ['GET', '//', 404],
  ['GET', '/ui', 302, '/ui/'],
  ['GET', '/ui/sign-in', 200],
  ['POST', '/ui/', 404],
  ['GET', '/UI/', 404],
  ['GET', '/ping', 200],
  ['POST', '/ping', 200],
  ['GET', '/ping/', 404],
  ['GET', '/Ping', 404],
  ['GET', '/api', 401],
  ['GET', '/api/', 401],
  ['GET', '/api//', 404],
  ['GET', '/api/x', 404],
  ['POST', '/api', 405, 'GET'],
  ['GET', '/api/session', 200],
  ['HEAD', '/api/session/', 405, 'GET, POST, DELETE'],
  ['PUT', '/api/session', 405, 'GET, POST, DELETE'],
  ['GET', '/api/session/ticket', 405, 'POST'],
  ['OPTIONS', '/api/session', 405, 'GET, POST, DELETE'],
  ['GET', '/metrics', 401],
  ['GET', '/metrics/', 401],
  ['POST', '/metrics', 405, 'GET'],
  ['GET', '/term', 302, '/ui/terminal'],
  ['GET', '/term/', 302, '/ui/terminal'],
  ['POST', '/term/ticket', 405, 'GET'],
  ['GET', '/term/ticket', 401],
  ['GET', '/register/sent', 200],
  ['HEAD', '/register/sent/', 200],
  ['GET', '/register/style.css', 200],
  ['PUT', '/register', 404],
  ['GET', '/register/more', 404],
  ['GET', '/registered', 404],
  ['GET', '/register/password', 200],
  ['GET', '/register/password/', 200],
  ['GET', '/register/password/token.js', 200],
  ['GET', '/register/password/x', 404],
  ['DELETE', '/register/password', 404],
]

describe.each(['', '/manager', '/a(b):c'])('routes below "%s"', (prefix) => {
  let pages: TestPages
  beforeAll(async () => {
    pages = await startPages({
      config: [`export APPS_BASEURL='http://localhost:8000${prefix}'`, 'APPS_ALLOWREGISTER=yes'],
    })
  })
  afterAll(() => pages?.close())

  it('answer their addresses and methods, and nothing else', async () => {
    const found = []
    for (const [method, path] of answers) {
      const { status, headers } = await send(
        new URL(pages.url),
        method,
        path === '' && prefix === '' ? '/' : prefix + path,
      )
      const header = headers['allow'] ?? headers['location']?.slice(prefix.length)
      found.push([method, path, status, ...(header === undefined ? [] : [header])])
    }
    expect(found).toEqual(answers)
  })

  it('keep what browsers may do with pages of strangers on addresses that are not there', async () => {
    const policy = async (path: string) =>
      (await send(new URL(pages.url), 'GET', prefix + path)).headers['content-security-policy']
    expect(await policy('/register/more')).toContain("form-action 'self'")
    expect(await policy('/register/more')).not.toContain('script-src')
    expect(await policy('/register/password/x')).toContain("script-src 'self'; form-action 'self'")
  })

  it('answer authorities of certificates below no prefix', async () => {
    expect((await send(new URL(pages.url), 'GET', '/.well-known/acme-challenge/a%2Fb/c')).text).toContain(
      'no such challenge',
    )
    expect((await send(new URL(pages.url), 'GET', '/.well-known/acme-challenge')).text).not.toContain('challenge')
  })
})

interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

/** Sends a path as it is. */
function send({ hostname, port }: URL, method: string, path: string): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path }, async (response) => {
      let text = ''
      for await (const part of response.setEncoding('utf8')) text += part as string
      resolve({ status: response.statusCode ?? 0, headers: response.headers as Got['headers'], text })
    })
    sent.on('error', reject).end()
  })
}
