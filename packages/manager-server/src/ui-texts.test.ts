import { actions, type Action } from '@steward/manager-core'
import { describe, expect, it } from 'vitest'
import { de as sharedGerman } from '../../page-kit/src/texts/de.js'
import { en as shared } from '../../page-kit/src/texts/en.js'
import { fr as sharedFrench } from '../../page-kit/src/texts/fr.js'
import { de, sentences as german } from './ui/texts/de.js'
import { en } from './ui/texts/en.js'
import { fr } from './ui/texts/fr.js'
import { sentences as french } from './ui/texts/fr/sentences.js'

const places = (text: unknown) => [...JSON.stringify(text).matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted()

/** What the pages show. */
const asked = actions.filter(({ surfaces = ['api'] }) => surfaces.includes('api'))
/** What their forms are built from. */
const changing = asked.filter(({ mutating }) => mutating)
const inputs = changing.flatMap(({ parameters = [], options = [] }) => [...parameters, ...options])

/** What the history calls what is no action of that name, or changes nothing. */
const alsoInHistory = [
  ...['schedule install', 'schedule remove', 'rehearse', 'recreate', 'verify', 'unisolate'],
  ...['terminal', 'shell', 'database', 'download', 'iocredentials', 'register', 'password'],
]

interface ActionText {
  readonly id: string
  /** The id of all inputs of that name. */
  readonly shared?: string
  readonly english: string
}

function textsOf({ name, summary, parameters = [], options = [] }: Action): readonly ActionText[] {
  const action = name.replaceAll(' ', '-')
  const ofInputs = [...parameters, ...options].filter(({ type }) => type !== 'file')
  return [
    { id: `${action}.summary`, english: summary },
    ...ofInputs.map((one) => ({
      id: `${action}.input.${one.name}`,
      shared: `input.${one.name}`,
      english: one.summary,
    })),
  ]
}

/** The one that its translation hangs on, as in `ui/lib/i18n.ts`. */
function idOf({ id, shared }: ActionText, sentences: Readonly<Record<string, string>>): string {
  return shared !== undefined && !Object.hasOwn(sentences, id) && Object.hasOwn(sentences, shared) ? shared : id
}

const translations = [
  { language: 'French', own: { ...sharedFrench, ...fr }, sentences: french },
  { language: 'German', own: { ...sharedGerman, ...de }, sentences: german },
]

describe('texts of the pages', () => {
  it.each(translations)('are in English and $language, with the same places', ({ own }) => {
    const english = { ...shared, ...en }
    expect(Object.keys(own).toSorted()).toEqual(Object.keys(english).toSorted())
    for (const [key, text] of Object.entries(english))
      expect([key, new Set(places(own[key as keyof typeof english]))]).toEqual([key, new Set(places(text))])
  })

  it('call every action that changes something, on any surface, and all inputs of its forms', () => {
    const missing = [
      ...[...actions.filter(({ mutating }) => mutating).map(({ name }) => name), ...alsoInHistory].map(
        (name) => `action.${name.replaceAll(' ', '-')}`,
      ),
      ...inputs.map(({ name }) => `field.${name}`),
    ].filter((key) => !Object.hasOwn(en, key))
    expect([...new Set(missing)]).toEqual([])
  })

  it.each(translations)('say in $language what these are for, by ids', ({ sentences }) => {
    const ids = new Set(changing.flatMap(textsOf).map((one) => idOf(one, sentences)))
    expect([...ids].filter((id) => !Object.hasOwn(sentences, id))).toEqual([])
  })

  it.each(translations)('have no $language without an id, and none for different inputs', ({ sentences }) => {
    const texts = asked.flatMap(textsOf)
    const idIn = (one: ActionText) => idOf(one, sentences)
    const ids = new Set(texts.map(idIn))
    expect(Object.keys(sentences).filter((id) => !ids.has(id))).toEqual([])
    for (const [id, same] of Map.groupBy(texts, idIn))
      expect([id, [...new Set(same.map(({ english }) => english))]]).toEqual([id, [same[0]!.english]])
  })
})
