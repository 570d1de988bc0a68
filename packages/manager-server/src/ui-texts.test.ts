import { actions } from '@steward/manager-core'
import { describe, expect, it } from 'vitest'
import { en } from './ui/texts/en.js'
import { fr } from './ui/texts/fr.js'
import { sentences } from './ui/texts/fr/sentences.js'

const places = (text: unknown) => [...JSON.stringify(text).matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted()

/** What forms of the pages are made of. */
const changing = actions.filter(({ surfaces = ['api'], mutating }) => mutating && surfaces.includes('api'))
const inputs = changing.flatMap(({ parameters = [], options = [] }) => [...parameters, ...options])

describe('texts of the pages', () => {
  it('are in English and French, with the same places', () => {
    expect(Object.keys(fr).toSorted()).toEqual(Object.keys(en).toSorted())
    for (const [key, text] of Object.entries(en))
      expect([key, new Set(places(fr[key as keyof typeof en]))]).toEqual([key, new Set(places(text))])
  })

  it('call every action that changes something, and all its inputs', () => {
    const missing = [
      ...changing.map(({ name }) => `action.${name.replaceAll(' ', '-')}`),
      ...inputs.map(({ name }) => `field.${name}`),
    ].filter((key) => !Object.hasOwn(en, key))
    expect([...new Set(missing)]).toEqual([])
  })

  it('say in French what nearly all of these are for; the rest is said in English', () => {
    const english = [...new Set([...changing, ...inputs].map(({ summary }) => summary))]
    const said = english.filter((one) => Object.hasOwn(sentences, one))
    expect(said.length / english.length).toBeGreaterThan(0.9)
  })
})
