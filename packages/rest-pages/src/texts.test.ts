import { expect, it } from 'vitest'
import { de as adminDe } from './ui/admin/texts/de.js'
import { en as adminEn } from './ui/admin/texts/en.js'
import { fr as adminFr } from './ui/admin/texts/fr.js'
import { de } from './ui/texts/de.js'
import { en } from './ui/texts/en.js'
import { fr } from './ui/texts/fr.js'

const placesOf = (text: unknown) => new Set([...JSON.stringify(text).matchAll(/\{\w+\}/g)].map(([place]) => place))

it.each<[string, object, object]>([
  ['fr', fr, en],
  ['de', de, en],
  ['fr, administration', adminFr, adminEn],
  ['de, administration', adminDe, adminEn],
])('texts in %s are those in English, with the same places', (_, texts, english) => {
  expect(Object.keys(texts).toSorted()).toEqual(Object.keys(english).toSorted())
  for (const [key, text] of Object.entries(english))
    expect([key, placesOf(texts[key as keyof typeof texts])]).toEqual([key, placesOf(text)])
})
