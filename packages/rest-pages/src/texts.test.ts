import { expect, it } from 'vitest'
import { de } from './ui/texts/de.js'
import { en } from './ui/texts/en.js'
import { fr } from './ui/texts/fr.js'

const placesOf = (text: unknown) => new Set([...JSON.stringify(text).matchAll(/\{\w+\}/g)].map(([place]) => place))

it.each(Object.entries({ fr, de }))('texts in %s are those in English, with the same places', (_, texts) => {
  expect(Object.keys(texts).toSorted()).toEqual(Object.keys(en).toSorted())
  for (const [key, text] of Object.entries(en))
    expect([key, placesOf(texts[key as keyof typeof en])]).toEqual([key, placesOf(text)])
})
