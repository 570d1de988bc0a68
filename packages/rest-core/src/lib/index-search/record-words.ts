import type { FieldValue } from '../fields/field-value.js'
import { isEmpty } from '../fields/field-type.js'
import { labelOf } from '../fields/enum-values.js'
import type { FieldModel, IndexModel } from '../model/model.js'
import { eachWord, firstCharacters } from './index-words.js'

/**
 * What of a record is indexed: its first words, and each of them so often at most. Not specified; chosen within what all
 * databases keep (PostgreSQL: 16,383 positions, 255 of them per word, 1 MiB), so that all find the same.
 */
const most = { words: 16_000, characters: 250_000, repetitions: 255 }

/**
 * Characters of a field and of a record that words are taken from, tags of HTML not counted; `raw` counts them. Not
 * specified; chosen because 16,000 words of most texts are shorter, and all of a text of 10 MB would take seconds.
 */
const source = { raw: 256 * 1024, field: 128 * 1024, record: 256 * 1024 }

type Values = Readonly<Record<string, FieldValue>>

/** The words of a record, for its column of words. */
export function recordWords({ fields }: IndexModel, values: Values): string {
  const words: string[] = []
  const seen = new Map<string, number>()
  let left = source.record
  let length = 0
  for (const field of fields) {
    const text = firstCharacters(sourceOf(field, values[field.name]), Math.min(left, source.field))
    left -= text.length
    for (const word of eachWord(text)) {
      length += word.length + 1
      if (words.length === most.words || length > most.characters) return words.join(' ')
      const times = (seen.get(word) ?? 0) + 1
      seen.set(word, times)
      if (times <= most.repetitions) words.push(word)
    }
  }
  return words.join(' ')
}

/** What is stored of a new record: its values and its words. */
export function withWords(index: IndexModel, values: Values): Values {
  return { ...values, [index.words.name]: recordWords(index, values) }
}

/** What is stored of a change: with the words of the whole record when indexed fields are among what changes. */
export async function withChangedWords(index: IndexModel, values: Values, old: () => Promise<Values>): Promise<Values> {
  const given = index.fields.filter(({ name }) => values[name] !== undefined)
  if (given.length === 0) return values
  const whole = given.length === index.fields.length ? values : { ...(await old()), ...values }
  return { ...values, [index.words.name]: recordWords(index, whole) }
}

/** What the indexed fields show, for people. */
export function indexedText({ fields }: IndexModel, values: Values): string {
  return fields
    .map((field) => shownText(field, values[field.name]))
    .filter((text) => text !== '')
    .join(' ')
}

/** A value as it travels, as text; empty when it is not filled. */
export function wireText(value: FieldValue | undefined): string {
  if (isEmpty(value)) return ''
  return Array.isArray(value) ? value.join(' ') : String(value)
}

/** Codes are found as well as their labels. */
function sourceOf(field: FieldModel, value: FieldValue | undefined): string {
  if (!field.codes || isEmpty(value)) return shownText(field, value)
  const [codes, labels] = [wireText(value), shownText(field, value)]
  return codes === labels ? codes : `${codes} ${labels}`
}

function shownText(field: FieldModel, value: FieldValue | undefined): string {
  if (isEmpty(value)) return ''
  if (field.codes)
    return [value]
      .flat()
      .map((code) => labelOf(code as string, field))
      .join(' ')
  if (Array.isArray(value)) return wireText(value)
  const text = firstCharacters(wireText(value), source.raw)
  return field.type.name === 'html' ? withoutTags(text) : text
}

const unreadable = /<!--[^]*?(?:-->|$)|<(script|style)\b[^]*?(?:<\/\1\s*>|$)|<\/?[a-z][^>]*>?/gi
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

function withoutTags(html: string): string {
  return html
    .replace(unreadable, ' ')
    .replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (entity, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return entities[name] ?? entity
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : ' '
    })
    .replace(/\s+/g, ' ')
    .trim()
}
