import type { Answer } from './send.js'
import { t } from './i18n.js'
import { failureOf } from './service-failure.js'
import type { FailureBody } from './service-failure.js'

export type ContentKind = 'json' | 'html' | 'markdown' | 'picture' | 'text' | 'binary' | 'nothing'

/** The body of an answer, as far as it can be read. */
export interface Content {
  readonly kind: ContentKind
  /** For all kinds but pictures, binary and nothing. */
  readonly text: string
  /** For kind `json`; lines of NDJSON are an array. */
  readonly json?: unknown
  readonly failure?: FailureBody
}

export function contentOf({ mime, bytes, cut, status }: Answer): Content {
  if (bytes.length === 0) return { kind: 'nothing', text: '' }
  if (mime.startsWith('image/')) return { kind: 'picture', text: '' }
  if (!isText(mime)) return { kind: 'binary', text: '' }
  const text = new TextDecoder().decode(bytes)
  if (mime === 'text/html') return { kind: 'html', text }
  if (mime === 'text/markdown') return { kind: 'markdown', text }
  const json = cut ? undefined : parse(mime, text)
  if (json === undefined) return { kind: 'text', text }
  return { kind: 'json', text, json, ...(status >= 400 && { failure: failureOf(json) }) }
}

/** What an answer is, in a few words. */
export function summaryOf({ kind, json, failure }: Content): string {
  if (failure) return failure.error
  if (Array.isArray(json)) return t('content.items', { count: json.length })
  return kind === 'json' ? '' : t(`content.${kind}`)
}

function isText(mime: string): boolean {
  return mime.startsWith('text/') || /[/+](?:json|x-ndjson|xml|yaml|x-yaml|openapi|javascript)$/.test(mime)
}

function parse(mime: string, text: string): unknown {
  try {
    if (mime === 'application/x-ndjson') {
      const lines = text.split('\n').filter((line) => line !== '')
      return lines.map((line) => JSON.parse(line) as unknown)
    }
    return /[/+]json$/.test(mime) ? (JSON.parse(text) as unknown) : undefined
  } catch {
    return undefined
  }
}

/** A document or thumbnail that travels inside JSON. */
export interface Embedded {
  readonly name: string
  readonly mime: string
  readonly base64: string
}

/** The content of an inlined document or of a publication as JSON; `undefined` when the value is none. */
export function embeddedIn(value: unknown): Embedded | undefined {
  const { name, mime, content, thumbnail } = (value ?? {}) as Record<string, unknown>
  if (typeof name !== 'string' || typeof mime !== 'string') return undefined
  if (typeof content === 'string' && content !== '') return { name, mime, base64: content }
  return typeof thumbnail === 'string' && thumbnail !== ''
    ? { name: `${name}.webp`, mime: 'image/webp', base64: thumbnail }
    : undefined
}

/** The decoded content; `undefined` for what is not base64. */
export function blobOf({ mime, base64 }: Embedded): Blob | undefined {
  try {
    return new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], { type: mime })
  } catch {
    return undefined
  }
}

/** File name of a downloaded answer. */
export function fileNameOf({ headers, mime, request }: Answer): string {
  const disposition = headers.find(([name]) => name === 'content-disposition')?.[1] ?? ''
  const [, encoded] = /filename\*=UTF-8''([^;]+)/i.exec(disposition) ?? []
  if (encoded) return decodeURIComponent(encoded)
  const [, quoted] = /filename="([^"]*)"/i.exec(disposition) ?? []
  if (quoted) return quoted
  const path = request.url.replace(/[?#].*$/, '')
  // A row id alone says little.
  const name = /[/:]([^/:]+(?:\/\d+)?)\/?$/.exec(path)?.[1]?.replace('/', '-') ?? 'answer'
  return `${decodeURIComponent(name)}.${/(?:[/+])([a-z]+)$/.exec(mime)?.[1] ?? 'bin'}`
}

/** Id of the background action that an answer is about, while it runs. */
export function taskOf({ status, headers, request }: Answer): string | undefined {
  if (status === 202) return /\/_task\/([^/]+)$/.exec(headers.find(([name]) => name === 'location')?.[1] ?? '')?.[1]
  return request.method === 'GET' ? /\/_task\/([^/]+)$/.exec(request.url)?.[1] : undefined
}

/** The parameters of pages that lead on from this one, by relation (`first`, `prev`, `next`, `last`). */
export function linksOf({ headers }: Answer): ReadonlyMap<string, URLSearchParams> {
  const links = new Map<string, URLSearchParams>()
  const header = headers.find(([name]) => name === 'link')?.[1] ?? ''
  for (const [, address = '', relation = ''] of header.matchAll(/<([^>]*)>\s*;\s*rel="?(\w+)"?/g))
    links.set(relation, new URLSearchParams(address.replace(/^[^?]*/, '')))
  return links
}
