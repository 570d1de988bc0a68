import type { Context } from 'koa'
import { describe, expect, it } from 'vitest'
import { refuseForeignPage } from './refuse-foreign-page.js'

const form = 'application/x-www-form-urlencoded'

function outcome(method: string, headers: Record<string, string>, state: Record<string, unknown> = {}): string {
  const context = { req: { method, headers: { host: 'shop.intranet:8080', ...headers } }, state }
  try {
    refuseForeignPage(context as unknown as Context, 'send a POST')
    return 'passes'
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('refuseForeignPage()', () => {
  it.each<[string, string, Record<string, string>]>([
    ['a form of another site', 'POST', { origin: 'http://evil.example', 'content-type': form }],
    ['an address that only begins with the host', 'POST', { origin: 'http://shop.intranet:8080.evil.example' }],
    ['another port of the host', 'POST', { origin: 'http://shop.intranet:81' }],
    ['a page without an origin', 'POST', { origin: 'null' }],
    ['the referrer of another site', 'GET', { referer: 'http://evil.example/shop.intranet:8080' }],
    ['a referrer that is no address', 'GET', { referer: 'about:client' }],
    ...[
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/70.0.3538.77 Safari/537.36',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:78.0) Gecko/20100101 Firefox/78.0',
      'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
      'Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)',
    ].map((agent): [string, string, Record<string, string>] => [
      `a GET of a browser that hides where it comes from: ${agent}`,
      'GET',
      { 'user-agent': agent },
    ]),
    [
      'Fetch Metadata, whatever the origin',
      'POST',
      { 'sec-fetch-site': 'cross-site', origin: 'http://shop.intranet:8080' },
    ],
    ['another host of the site', 'POST', { 'sec-fetch-site': 'same-site' }],
  ])('refuses %s', (_, method, headers) => {
    expect(outcome(method, headers)).toBe('ERR_ORIGIN')
  })

  it.each<[string, string, Record<string, string>]>([
    ['a program', 'POST', { 'content-type': form, 'user-agent': 'curl/8.5' }],
    [
      'a program that calls itself a browser',
      'POST',
      { 'user-agent': 'Mozilla/5.0 (Windows NT) WindowsPowerShell/5.1' },
    ],
    ...[
      'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041',
      'Mozilla/5.0 (Windows NT 10.0; Microsoft Windows 10.0.19045; en-US) PowerShell/7.4.1',
      'Mozilla/4.0 (compatible; Win32; WinHttp.WinHttpRequest.5)',
      'Mozilla/5.0',
    ].map((agent): [string, string, Record<string, string>] => [
      `a GET of a program that calls itself ${agent}`,
      'GET',
      { 'user-agent': agent },
    ]),
    ['a GET of a program', 'GET', { 'user-agent': 'node', 'accept-language': '*', 'sec-fetch-mode': 'cors' }],
    ['an own page', 'POST', { origin: 'http://shop.intranet:8080', 'content-type': form }],
    ['an own page, told by its referrer', 'GET', { referer: 'http://SHOP.intranet:8080/api/tester' }],
    ['an own page behind a proxy', 'POST', { origin: 'https://shop.example', 'x-forwarded-host': 'shop.example:443' }],
    [
      'an own page behind two proxies',
      'POST',
      { origin: 'http://shop.example', 'x-forwarded-host': 'shop.example, b' },
    ],
    ['an own page by HTTP/2', 'POST', { origin: 'https://shop.example', ':authority': 'shop.example' }],
    ['JSON, which needs a preflight', 'POST', { origin: 'http://evil.example', 'content-type': 'application/json' }],
    ['a header, which needs a preflight', 'GET', { origin: 'http://evil.example', 'x-requested-with': 'x' }],
    ['a token', 'POST', { origin: 'http://evil.example', authorization: 'Bearer x' }],
  ])('lets through %s', (_, method, headers) => {
    expect(outcome(method, headers)).toBe('passes')
  })

  it('lets through the pages that CORS lists, and no others', () => {
    const headers = { origin: 'http://app.example', 'sec-fetch-site': 'cross-site' }
    expect(outcome('POST', headers, { allowedOrigin: 'http://app.example' })).toBe('passes')
    expect(outcome('POST', headers, { allowedOrigin: 'http://other.example' })).toBe('ERR_ORIGIN')
    expect(outcome('POST', { 'sec-fetch-site': 'cross-site' }, {})).toBe('ERR_ORIGIN')
  })
})
