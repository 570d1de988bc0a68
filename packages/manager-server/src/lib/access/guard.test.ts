import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, it } from 'vitest'
import { whyRefused } from './guard.js'

const chromium = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  'accept-language': 'en-US,en;q=0.9',
  'upgrade-insecure-requests': '1',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
}

describe('takes', () => {
  it.each<[string, IncomingHttpHeaders]>([
    ['what a page of its own asks', { ...chromium, 'sec-fetch-site': 'same-origin' }],
    [
      'what has a header that no other page can add',
      { ...chromium, 'sec-fetch-site': 'cross-site', 'x-manager-request': '' },
    ],
    ['a token', { ...chromium, authorization: 'bearer stw_x' }],
    ['curl', { 'user-agent': 'curl/8.5.0', accept: '*/*', authorization: 'Basic x' }],
    ['wget', { 'user-agent': 'Wget/1.21.3', accept: '*/*', 'accept-encoding': 'identity', connection: 'Keep-Alive' }],
    ['PowerShell', { 'user-agent': 'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041' }],
    ['WinHTTP', { 'user-agent': 'Mozilla/4.0 (compatible; Win32; WinHttp.WinHttpRequest.5)' }],
    ['Qt', { 'user-agent': 'Mozilla/5.0' }],
    ['a program that says nothing', {}],
  ])('%s', (_, headers) => {
    expect(whyRefused(headers)).toBeUndefined()
  })
})

describe('refuses', () => {
  it.each<[string, IncomingHttpHeaders, string]>([
    ['another site', { ...chromium, 'sec-fetch-site': 'cross-site' }, 'another origin (cross-site)'],
    [
      'a sibling sub-domain, another port',
      { ...chromium, 'sec-fetch-site': 'same-site' },
      'another origin (same-site)',
    ],
    ['what was typed, or opened from elsewhere', { ...chromium, 'sec-fetch-site': 'none' }, 'typed or opened by hand'],
    ['a browser that does not say from where', chromium, 'header accept-language'],
    ['a browser by its agent alone', { 'user-agent': chromium['user-agent'] }, 'User-Agent'],
    ['what has an origin', { origin: 'null' }, 'header origin'],
    ['what has a referrer', { referer: 'http://evil.example/' }, 'header referer'],
    ['what browsers add', { 'sec-ch-ua': '""' }, 'header sec-ch-ua'],
    ['a made-up site', { 'sec-fetch-site': 'same-origin, cross-site' }, 'another origin'],
    [
      'what is asked in advance',
      { 'sec-fetch-site': 'same-origin', 'sec-purpose': 'prefetch;prerender' },
      'the browser prefetches',
    ],
    [
      'what is asked in advance, in words of old',
      { ...chromium, 'x-manager-request': '1', purpose: 'prefetch' },
      'the browser prefetches',
    ],
    ['an empty token', { ...chromium, authorization: 'Basic Bearer ' }, 'header accept-language'],
  ])('%s', (_, headers, reason) => {
    expect(whyRefused(headers)).toContain(reason)
  })
})
