import { escapeHtml } from '../text/escape-html.js'
import type { PublicationFormat } from './publication.js'

/** Text that a helper made for this very place, so that it is not escaped. Data cannot be one of these. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What a template shows of a value. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Characters that XML 1.0 cannot hold, not even escaped. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** Without the characters that no XML document can hold. */
export function cleanXml(text: string): string {
  return text.replace(notXml, '\ufffd')
}

export function escapeXml(text: string): string {
  // Parsers turn a bare carriage return into a line feed.
  return escapeHtml(cleanXml(text)).replaceAll('\r', '&#13;')
}

/** For a place between the quotes of a JSON string; safe inside HTML too. */
export function escapeJson(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** One run of text: everything that Markdown (with the extensions of GitHub) would read as markup is escaped; lines become blanks. */
export function escapeMarkdown(text: string): string {
  return text
    .trim()
    .replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ')
    .replace(/[\\`*_{}[\]()<>&|~^$!@]/g, String.raw`\$&`)
    .replace(/^[#+=-]/, String.raw`\$&`)
    .replace(/^(\d+)([.)])/, String.raw`$1\$2`)
    .replace(/:(?=\/\/)|(?<=\bwww)\./gi, String.raw`\$&`)
}

const plainNumber = /^-?\d+(?:\.\d+)?$/
/** Beginnings that make spreadsheets compute a cell. Source: OWASP, "CSV Injection". */
const formula = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/** A whole cell: quoted where needed; what a spreadsheet would compute gets a `'` before it, numbers do not. */
export function escapeCsv(text: string): string {
  const safe = formula.test(text) && !plainNumber.test(text) ? `'${text}` : text
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** What browsers leave out when they read the scheme of an address. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const invisible = /[\u0000-\u0020\u007f-\u009f\u00ad\u200b-\u200f]/g

/** An address that does nothing but lead somewhere; others are left out. */
export function safeUrl(text: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text.replace(invisible, ''))?.[1]
  return scheme === undefined || /^(?:https?|mailto|tel|ftp)$/i.test(scheme) ? text.trim() : ''
}

/** How values are written into a template of each format. */
export const escapes: Readonly<Record<PublicationFormat, (text: string) => string>> = {
  html: escapeHtml,
  md: escapeMarkdown,
  txt: (text) => text,
  csv: escapeCsv,
  json: escapeJson,
  xml: escapeXml,
  pdf: escapeJson,
  docx: cleanXml,
  xlsx: cleanXml,
}

/** How addresses are written where a link is made. */
export function escapeUrl(format: PublicationFormat, text: string): string {
  const url = safeUrl(text)
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (format === 'md') return url.replace(/[\u0000-\u0020()<>\\`*_[\]|]/g, (character) => percent(character))
  return escapes[format](url)
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}
