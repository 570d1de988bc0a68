import { emptyDraft } from './draft.js'
import type { Draft } from './draft.js'
import { operations } from './operations.js'

/** What is never in the address: a body may hold a password, and a file cannot be named there. */
const leftOut: ReadonlySet<string> = new Set<keyof Draft>(['object', 'operation', 'body', 'file', 'parameters'])

/** What was entered as the part of an address after `#`: `#/Movie/search?order=mov_title`. */
export function hashOf(draft: Draft): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(draft)) {
    if (leftOut.has(name) || value === undefined) continue
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (text !== textOfDefault(name)) parameters.set(name, text)
  }
  const query = parameters.toString()
  return `#/${encodeURIComponent(draft.object)}/${draft.operation}${query === '' ? '' : `?${query}`}`
}

/** What such an address says; what it does not is empty. @returns undefined for any other text */
export function draftOf(hash: string): Draft | undefined {
  const [, object = '', operation = '', query = ''] = /^#\/([^/?]*)\/(\w+)(?:\?(.*))?$/.exec(hash) ?? []
  const known = operations.find(({ name }) => name === operation)
  if (!known) return undefined
  const given: Record<string, unknown> = {}
  for (const [name, text] of new URLSearchParams(query)) {
    if (leftOut.has(name) || !Object.hasOwn(emptyDraft, name)) continue
    const value = read(name, text)
    if (value !== undefined) given[name] = value
  }
  return { ...emptyDraft, ...given, operation: known.name, object: decoded(object) }
}

function textOfDefault(name: string): string {
  const value = emptyDraft[name as keyof Draft]
  return typeof value === 'string' || value === undefined ? (value ?? '\0') : JSON.stringify(value)
}

/** In the form that the member has; undefined for a text that is none. */
function read(name: string, text: string): unknown {
  const usual = emptyDraft[name as keyof Draft]
  if (typeof usual === 'string' || usual === undefined) return text
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === typeof usual && Array.isArray(value) === Array.isArray(usual) ? value : undefined
  } catch {
    return undefined
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
