import { expect, it } from 'vitest'
import { localeOf } from './locale-of.js'

it.each([
  ['en', ['en-GB', 'en'], 'en-GB'],
  ['de', ['en-GB', 'de-CH', 'de'], 'de-CH'],
  ['fr', ['en-GB'], 'fr'],
  ['fr', [], 'fr'],
])('localeOf() of %s for a browser that prefers %j is %s', (language, preferences, locale) => {
  expect(localeOf(language, preferences)).toBe(locale)
})
