import { createPrincipal, createRights, defineObject } from '@steward/rest-core'
import type { BusinessObjects, Model, Principal } from '@steward/rest-core'

/** Starts every value that bob may not read, wherever it is kept. */
export const canary = 'cnry'
/** The same in numbers. */
export const canaryDigits = '7717'

const Team = defineObject({
  name: 'Team',
  fields: {
    tea_code: { type: 'string', length: 40, key: true },
    tea_budget: { type: 'string', length: 40 },
  },
})

/** Nothing of it is granted to bob. */
const Vault = defineObject({
  name: 'Vault',
  fields: { vau_code: { type: 'string', length: 40, key: true } },
})

/** Bob may read the open ones, without their salaries and budgets. */
const Person = defineObject({
  name: 'Person',
  fields: {
    per_code: { type: 'string', length: 40, key: true },
    per_name: { type: 'string', length: 40 },
    per_open: { type: 'boolean' },
    per_salary: { type: 'integer' },
    per_team_id: { type: 'reference', object: 'Team', display: ['tea_code', 'tea_budget'] },
    per_vault_id: { type: 'reference', object: 'Vault', display: ['vau_code'] },
  },
  order: ['per_salary'],
  indexable: ['per_code', 'per_name'],
})

/** Bob may do everything with it, but one of its references is hidden from him. */
const Note = defineObject({
  name: 'Note',
  fields: {
    not_code: { type: 'string', length: 40, key: true },
    not_text: { type: 'text' },
    not_hours: { type: 'integer' },
    not_file: { type: 'document' },
    not_state: { type: 'enum', values: ['new', 'done'], required: true },
    not_person_id: {
      type: 'reference',
      object: 'Person',
      display: ['per_code', 'per_name', 'per_salary', 'per_team_id__tea_code', 'per_team_id__tea_budget'],
      onDelete: 'setNull',
    },
    not_author_id: { type: 'reference', object: 'Person', display: ['per_code', 'per_name'] },
    not_vault_id: { type: 'reference', object: 'Vault', display: ['vau_code'] },
  },
  order: ['not_person_id__per_salary', 'not_author_id__per_name'],
  pageSize: 5,
  indexable: ['not_text', 'not_code'],
  states: { field: 'not_state', initial: 'new', transitions: [{ from: 'new', to: 'done' }] },
  crosstabs: {
    people: { lines: ['not_person_id__per_name'], values: [{ function: 'sum', field: 'not_hours' }] },
    teams: { lines: ['not_person_id__per_team_id__tea_budget'], columns: ['not_vault_id__vau_code'] },
    salaries: { lines: ['not_state'], values: [{ function: 'max', field: 'not_person_id__per_salary' }] },
  },
  actions: {
    show: { scope: 'both', run: ({ record }) => ({ record: { ...record } }) },
  },
  publications: {
    list: { scope: 'both', format: 'csv' },
    data: { scope: 'both', format: 'json' },
    sheet: {
      scope: 'record',
      format: 'html',
      template:
        '<p>{{not_code}} {{not_person_id__per_name}} {{not_person_id__per_salary}} {{not_vault_id__vau_code}}</p>',
    },
  },
})

/** What it refers to is a note, so chains are long. */
const Reply = defineObject({
  name: 'Reply',
  fields: {
    rep_code: { type: 'string', length: 40, key: true },
    rep_note_id: {
      type: 'reference',
      object: 'Note',
      display: ['not_code', 'not_person_id__per_name', 'not_author_id__per_name', 'not_vault_id__vau_code'],
      onDelete: 'cascade',
    },
  },
  indexable: ['rep_code'],
})

export const guardedObjects = [Team, Vault, Person, Note, Reply]

/** Who may read some of it. */
export function createBob(model: Model): Principal {
  const rights = createRights(
    model,
    [
      { object: 'Team', letters: 'R', hidden: ['tea_budget'] },
      { object: 'Person', letters: 'R', filter: 'per_open = true', hidden: ['per_salary'] },
      { object: 'Note', letters: 'CRUDA', hidden: ['not_author_id'] },
      { object: 'Reply', letters: 'CRUDA' },
    ],
    { LOGIN: 'bob' },
  )
  return createPrincipal({ login: 'bob', rights })
}

/** Records of which half show what bob may not read. */
export async function fillGuarded(service: BusinessObjects, administrator: Principal): Promise<void> {
  const create = async (object: string, values: object) => (await service.create(administrator, object, values)).row_id
  for (let at = 0; at < 8; at++) {
    const open = at % 2 === 0
    const team = await create('Team', { tea_code: `team ${at}`, tea_budget: `${canary} budget ${at}` })
    const vault = await create('Vault', { vau_code: `${canary} vault ${at}` })
    const person = await create('Person', {
      per_code: open ? `person ${at}` : `${canary} person ${at}`,
      per_name: open ? `name ${at}` : `${canary} name ${at}`,
      per_open: open,
      per_salary: Number(`${canaryDigits}${at}`),
      per_team_id: team,
      per_vault_id: vault,
    })
    const author = await create('Person', {
      per_code: `${canary} author ${at}`,
      per_name: `${canary} author's name ${at}`,
      per_open: false,
      per_salary: Number(`${canaryDigits}${at}`),
      per_team_id: team,
    })
    const note = await create('Note', {
      not_code: `note ${at}`,
      not_text: `text ${at}`,
      not_hours: at,
      not_person_id: person,
      not_author_id: author,
      not_vault_id: vault,
    })
    await create('Reply', { rep_code: `reply ${at}`, rep_note_id: note })
  }
}
