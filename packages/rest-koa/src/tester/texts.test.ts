import { expect, it } from 'vitest'
import { de } from './texts/de.js'
import { en } from './texts/en.js'
import { fr } from './texts/fr.js'

const placesOf = (text: unknown) => new Set([...JSON.stringify(text).matchAll(/\{\w+\}/g)].map(([place]) => place))

it.each<[string, object]>([
  ['fr', fr],
  ['de', de],
])('texts in %s are those in English, with the same places', (_, texts) => {
  expect(Object.keys(texts).toSorted()).toEqual(Object.keys(en).toSorted())
  for (const [key, text] of Object.entries(en))
    expect([key, placesOf(texts[key as keyof typeof texts])]).toEqual([key, placesOf(text)])
})
