import { readFileSync } from 'node:fs'
import type { FieldMetadata } from '@steward/rest-core'
import { expect, it } from 'vitest'
import { conditionWords, type Wording } from './ui/admin/condition-words.js'
import { grantSentence, type Grant, type GrantedObject } from './ui/admin/grant-sentence.js'
import { knownParameters } from './ui/admin/known-parameters.js'
import { de } from './ui/admin/texts/de.js'
import { en } from './ui/admin/texts/en.js'
import { fr } from './ui/admin/texts/fr.js'

type Texts = Readonly<Record<string, string | { readonly one: string; readonly other: string }>>

function wordingOf(language: string, texts: Texts): Wording {
  const all: Texts = { ...texts, yes: 'Yes', no: 'No' }
  return {
    language,
    t(key, values = {}) {
      const text = all[key] ?? key
      const form = typeof text === 'string' ? text : text[values['count'] === 1 ? 'one' : 'other']
      return form.replaceAll(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place))
    },
  }
}

const english = wordingOf('en', en)
const field = (name: string, label: string, more: Partial<FieldMetadata> = {}) =>
  ({ name, label, type: 3, listOfValues: null, ...more }) as FieldMetadata
const fields = [
  field('tas_state', 'State', {
    type: 7,
    listOfValues: [
      { code: 'open', value: 'Open', enabled: true },
      { code: 'done', value: 'Done', enabled: true },
    ],
  }),
  field('tas_owner', 'Owner'),
  field('tas_cost', 'Cost', { type: 1 }),
  field('tas_urgent', 'Urgent', { type: 8 }),
  field('tas_area_id', 'Area', { type: 0 }),
]
const task: GrantedObject = {
  plurallabel: 'Tasks',
  fields,
  actions: [{ name: 'close', label: 'Close' }],
  publications: [{ name: 'list', label: 'List' }],
  crosstabs: [{ name: 'months', label: 'Months' }],
}
const grant = (values: Partial<Grant>): Grant => ({
  row_id: '1',
  grt_group_id: '1',
  grt_group_id__grp_name: 'Sales',
  grt_object: 'Task',
  grt_rights: 'R',
  grt_filter: '',
  grt_hidden_fields: '',
  grt_actions: '',
  grt_publications: '',
  grt_crosstabs: '',
  ...values,
})

it.each<[Partial<Grant>, string]>([
  [{}, 'Sales may read Tasks.'],
  [{ grt_rights: 'CRUD' }, 'Sales may create, read, change, and delete Tasks.'],
  [{ grt_object: '*' }, 'Sales may read all objects.'],
  [
    { grt_rights: 'RU', grt_filter: "tas_state = 'open'", grt_hidden_fields: 'tas_cost' },
    'Sales may read and change Tasks where State is Open; not the field Cost.',
  ],
  [{ grt_rights: 'RA' }, 'Sales may read Tasks; may run all actions.'],
  [{ grt_rights: 'RA', grt_actions: 'close' }, 'Sales may read Tasks; may run the action Close.'],
  [{ grt_rights: 'A' }, 'Sales may run all actions of Tasks.'],
  [{ grt_rights: 'A', grt_actions: 'close, reopen' }, 'Sales may run the actions Close and reopen of Tasks.'],
  [
    { grt_hidden_fields: 'tas_cost,tas_owner', grt_publications: 'list', grt_crosstabs: 'months' },
    'Sales may read Tasks; not the fields Cost and Owner; only the publication List; only the pivot table Months.',
  ],
  [{ grt_filter: 'tas_state ~ open' }, 'Sales may read Tasks where tas_state ~ open.'],
])('grantSentence() of %j says what it allows', (values, sentence) => {
  expect(grantSentence(grant(values), values.grt_object === '*' ? undefined : task, english)).toBe(sentence)
})

it('grantSentence() speaks French and German, and names an object that is not known', () => {
  const one = grant({ grt_rights: 'RUA', grt_filter: 'tas_owner = [LOGIN]', grt_hidden_fields: 'tas_cost' })
  expect(grantSentence(one, task, wordingOf('fr', fr))).toBe(
    'Sales peut lire et modifier Tasks lorsque Owner est l’identifiant de l’utilisateur ; peut exécuter toutes les actions ; sauf le champ Cost.',
  )
  expect(grantSentence(one, task, wordingOf('de', de))).toBe(
    'Sales darf Tasks lesen und ändern, wenn Owner der Benutzername des Benutzers ist; darf alle Aktionen ausführen; nicht das Feld Cost.',
  )
  expect(grantSentence(grant({ grt_object: 'Gone' }), undefined, english)).toBe('Sales may read Gone.')
})

it.each([
  ["tas_state in ('open', done) and not tas_owner is null", 'State is one of Open, Done and not (Owner is empty)'],
  [
    '(tas_cost >= 5 or tas_cost is null) AND tas_urgent = true',
    '(Cost is at least 5 or Cost is empty) and Urgent is Yes',
  ],
  ["tas_owner not like 'O''Brien%'", "Owner is not like “O'Brien%”"],
  ['tas_owner = Mary Ann and tas_cost < 3', 'Owner is “Mary Ann” and Cost is below 3'],
  ["tas_area_id__are_name = 'West'", 'Area (are_name) is “West”'],
  [
    "created_by = [login] or updated_dt > '[DATE:-3m]'",
    'created_by is the login of the user or updated_dt is above “[DATE:-3m]”',
  ],
  ['tas_cost = [DATE:-3m]', 'Cost is [DATE:-3m]'],
])('conditionWords() of %s', (text, words) => {
  expect(conditionWords(text, fields, english)).toBe(words)
})

it.each(['', 'tas_state', 'tas_state =', "tas_state = 'open", '(tas_cost = 1', '= 5', 'a is b', 'not'])(
  'conditionWords() of %j is undefined: it is shown as it is',
  (text) => {
    expect(conditionWords(text, fields, english)).toBeUndefined()
  },
)

it('known parameters are those of the documentation, with their values and defaults', () => {
  const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| `([A-Z_]+)`\s+\| ([^|]*?)\s+\| ([^|]*?)\s+\|/gm)].map(
    ([, ...cells]) => cells,
  )
  for (const { code, standard, ...rest } of knownParameters) {
    const [, values = '', shown = ''] = documented.find(([name]) => name === code) ?? []
    expect([code, shown.replaceAll('`', '')]).toEqual([code, standard])
    const wanted = rest.kind === 'yesNo' ? 'yes, no' : rest.kind === 'number' ? `${rest.min}–${rest.max}` : ''
    expect([
      code,
      values
        .replaceAll('`', '')
        .replaceAll(/,(?=\w)/g, ', ')
        .replaceAll(/(\d), (?=\d{3}\b)/g, '$1'),
    ]).toEqual([code, wanted])
  }
  const codes = documented.map(([name]) => name).filter((name) => /^(?:USE|WEBSERVICES)_/.test(name ?? ''))
  expect(new Set(codes)).toEqual(
    new Set(knownParameters.map(({ code }) => code).filter((code) => !code.startsWith('STEWARD'))),
  )
})
