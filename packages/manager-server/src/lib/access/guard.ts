import type { IncomingHttpHeaders } from 'node:http'

/**
 * What browsers send and programs do not. Source: docs/spec/wire-decisions.md, "guard for GET actions that change
 * things".
 */
const browserMarks = ['origin', 'referer', 'accept-language', 'upgrade-insecure-requests']
/** What only browsers have in their `User-Agent`: other programs, such as PowerShell, call themselves `Mozilla/`, too. */
const engine = /AppleWebKit\/|Gecko\/|Trident\/|Presto\/|MSIE /i

/**
 * Why a request that changes something may not have been meant: a page of another origin can make a browser send one with
 * the user's credentials, but can neither add a header nor take the marks of the browser away.
 *
 * @returns undefined: it was meant
 */
export function whyRefused(headers: IncomingHttpHeaders): string | undefined {
  if (/prefetch|prerender/i.test([headers['sec-purpose'], headers['purpose']].join(' ')))
    return 'the browser prefetches, and no one has requested it yet'
  if (headers['x-manager-request'] !== undefined) return undefined
  if (/^Bearer /i.test(headers.authorization ?? '')) return undefined
  const site = headers['sec-fetch-site']
  if (site === 'same-origin') return undefined
  if (site === 'none') return 'it was typed or opened by hand'
  if (site !== undefined) return `it comes from a page of another origin (${site.slice(0, 20)})`
  const mark = Object.keys(headers).find((name) => name.startsWith('sec-') || browserMarks.includes(name))
  if (mark !== undefined) return `it comes from a browser (header ${mark}), maybe from a page of another origin`
  if (engine.test(headers['user-agent'] ?? ''))
    return 'it comes from a browser (User-Agent), maybe from a page of another origin'
  return undefined
}

/** Whether one of our pages asks, by itself or by what a browser says about it. */
export function isFromPages(headers: IncomingHttpHeaders): boolean {
  return headers['x-manager-request'] === 'ui' || headers['sec-fetch-site'] === 'same-origin'
}
