import { hash } from 'node:crypto'
import { taggedAs } from '../http/answer.js'
import { encodings } from '../http/compression.js'

/** The strong entity tag of a body: equal bytes, equal tag. */
export function entityTag(body: string): string {
  return `"${hash('sha256', body, 'base64url')}"`
}

/** `If-None-Match`: `*`, or one of the tags, weak or strong, is this one. */
export function matchesWeakly(header: string, tag: string): boolean {
  return header === tag || splitTags(header).some((other) => isOne(other.replace(/^W\//, ''), tag))
}

/**
 * `If-Match`: `*`, or one of the tags is this one; weak tags never are.
 *
 * @param tag undefined: the caller may not read what it stands for, so that only `*` matches
 */
export function matchesStrongly(header: string, tag: string | undefined): boolean {
  if (tag === undefined) return splitTags(header).includes('*')
  return header === tag || splitTags(header).some((other) => isOne(other, tag))
}

/** A tag of the body as it is or compressed: both stand for the same record. */
function isOne(other: string, tag: string): boolean {
  return other === '*' || other === tag || encodings.some((encoding) => other === taggedAs(tag, encoding))
}

/** Commas inside foreign tags only make more tags that match nothing: tags made here hold none. */
function splitTags(header: string): string[] {
  return header.split(',').map((tag) => tag.trim())
}
