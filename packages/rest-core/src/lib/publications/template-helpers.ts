import type { HelperOptions } from 'handlebars'
import type { FieldValue } from '../fields/field-value.js'
import type { ObjectModel } from '../model/model.js'
import { baseField } from '../model/model.js'
import { escapes, escapeUrl, Markup, textOf } from './escape.js'
import type { TemplatePlace } from './places.js'
import type { PublicationFormat } from './publication.js'
import { pictureKey } from './template-data.js'
import type { Pictures } from './template-data.js'

/** Blocks and helpers that templates may use; `$out` is put around every value when a template is read. */
export const blockHelpers: readonly string[] = ['if', 'unless', 'each']
export const valueHelpers: readonly string[] = ['date', 'number', 'label', 'image', 'json', 'eq', 'and', 'or', 'not']

/** The smallest transparent PNG, where a document needs a picture and there is none. */
const noPicture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

type Hash = Readonly<Record<string, unknown>>

/** Helpers of the templates of one object in one format. */
export function createHelpers(
  object: ObjectModel,
  format: PublicationFormat,
): Record<string, (...args: never[]) => unknown> {
  const escape = escapes[format]
  return {
    $out: (value: unknown, place: TemplatePlace) => {
      if (value instanceof Markup) return value.text
      return place === 'url' ? escapeUrl(format, textOf(value)) : escape(textOf(value))
    },
    date: (value: unknown, { hash }: HelperOptions) => formatDate(textOf(value), hash as Hash),
    number: (value: unknown, { hash }: HelperOptions) => formatNumber(value, hash as Hash),
    label: (value: FieldValue, name: string) => {
      const field = object.field(name)
      return field ? field.type.format(value, baseField(field)) : ''
    },
    json: (value: unknown) => new Markup(jsonText(value)),
    image: (value: unknown, name: string, place: TemplatePlace, options: HelperOptions) =>
      image(value, name, place, options),
    eq: (a: unknown, b: unknown) => textOf(a) === textOf(b),
    and: (...values: unknown[]) => values.slice(0, -1).every(isFilled),
    or: (...values: unknown[]) => values.slice(0, -1).some(isFilled),
    not: (value: unknown) => !isFilled(value),
  }

  function image(value: unknown, _name: string, place: TemplatePlace, { hash, data }: HelperOptions): Markup {
    const { thumbnail = false, width, height } = hash as Record<string, unknown>
    const pictures = (data as { pictures: Pictures }).pictures
    const picture = pictures.get(pictureKey(textOf(value), thumbnail === true))
    if (place !== 'text') return new Markup(picture?.uri ?? (format === 'pdf' ? noPicture : ''))
    if (!picture) return new Markup('')
    if (format === 'md') return new Markup(`![${escape(picture.name)}](${picture.uri})`)
    const size = [['width', width] as const, ['height', height] as const]
      .filter(([, pixels]) => typeof pixels === 'number')
      .map(([name, pixels]) => ` ${name}="${pixels as number}"`)
    return new Markup(`<img src="${picture.uri}" alt="${escape(picture.name)}"${size.join('')}>`)
  }
}

/** As Handlebars' `if` sees it. */
function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

/** A JSON value that is safe inside HTML too. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value ?? null).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** `style`: `short`, `medium`, `long` or `full`, in the `locale` (default `en`); without a style as it is. @throws RangeError */
function formatDate(text: string, { style, locale = 'en' }: Hash): string {
  if (style === undefined) return text
  const isTime = /^\d\d:/.test(text)
  const options: Intl.DateTimeFormatOptions = {
    timeZone: 'UTC',
    ...(!isTime && { dateStyle: style as 'short' }),
    ...((isTime || text.includes(' ')) && { timeStyle: style as 'short' }),
  }
  const formatter = new Intl.DateTimeFormat(locale as string, options)
  const date = new Date(isTime ? `1970-01-01T${text}Z` : `${text.replace(' ', 'T')}${text.includes(' ') ? 'Z' : ''}`)
  return Number.isNaN(date.getTime()) ? text : formatter.format(date)
}

/** With that many `digits` after the point, in the `locale` (default `en`). @throws RangeError */
function formatNumber(value: unknown, { digits, locale = 'en' }: Hash): string {
  const least = typeof digits === 'number' ? digits : 0
  const formatter = new Intl.NumberFormat(locale as string, {
    minimumFractionDigits: least,
    maximumFractionDigits: typeof digits === 'number' ? digits : 38,
  })
  // Decimals that no double holds are texts, which are formatted exactly.
  const number = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? (value as `${number}`) : value
  return typeof number === 'number' || (typeof number === 'string' && number !== '' && /^-?\d/.test(number))
    ? formatter.format(number as number)
    : textOf(value)
}
