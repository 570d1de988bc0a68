import { actions, type Action } from '@steward/manager-core'
import { describe, expect, it } from 'vitest'
import { en as shared } from '../../page-kit/src/texts/en.js'
import { fr as sharedFrench } from '../../page-kit/src/texts/fr.js'
import { en } from './ui/texts/en.js'
import { fr } from './ui/texts/fr.js'
import { sentences } from './ui/texts/fr/sentences.js'

const places = (text: unknown) => [...JSON.stringify(text).matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted()

/** What the pages are told of. */
const asked = actions.filter(({ surfaces = ['api'] }) => surfaces.includes('api'))
/** What their forms are made of. */
const changing = asked.filter(({ mutating }) => mutating)
const inputs = changing.flatMap(({ parameters = [], options = [] }) => [...parameters, ...options])

/** Ids of what nobody has said in French yet. */
const onlyEnglish = [
  'start.input.empty',
  'upgrade.input.replace',
  'upgradeall.input.keep-going',
  'saveall.input.keep-going',
  'restore.input.other-instance',
  'isolate.input.name',
  'requests-password.summary',
  'token-add.input.hosts',
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

/** The one that its French hangs on, as in `ui/lib/i18n.ts`. */
function idOf({ id, shared }: ActionText): string {
  return shared !== undefined && !Object.hasOwn(sentences, id) && Object.hasOwn(sentences, shared) ? shared : id
}

describe('texts of the pages', () => {
  it('are in English and French, with the same places', () => {
    const english = { ...shared, ...en }
    const french = { ...sharedFrench, ...fr }
    expect(Object.keys(french).toSorted()).toEqual(Object.keys(english).toSorted())
    for (const [key, text] of Object.entries(english))
      expect([key, new Set(places(french[key as keyof typeof english]))]).toEqual([key, new Set(places(text))])
  })

  it('call every action that changes something, and all its inputs', () => {
    const missing = [
      ...changing.map(({ name }) => `action.${name.replaceAll(' ', '-')}`),
      ...inputs.map(({ name }) => `field.${name}`),
    ].filter((key) => !Object.hasOwn(en, key))
    expect([...new Set(missing)]).toEqual([])
  })

  it('say in French what these are for, by ids; the rest is said in English', () => {
    const ids = new Set(changing.flatMap(textsOf).map(idOf))
    expect([...ids].filter((id) => !Object.hasOwn(sentences, id))).toEqual(onlyEnglish)
  })

  it('have no French without an id, and none for inputs that are not the same', () => {
    const texts = asked.flatMap(textsOf)
    const ids = new Set(texts.map(idOf))
    expect(Object.keys(sentences).filter((id) => !ids.has(id))).toEqual([])
    for (const [id, same] of Map.groupBy(texts, idOf))
      expect([id, [...new Set(same.map(({ english }) => english))]]).toEqual([id, [same[0]!.english]])
  })
})
