import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  createPrincipal,
  createRights,
  defineObject,
} from '@steward/rest-core'
import type { GrantData, ObjectStore } from '@steward/rest-core'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { boss } from './exchange-for-test.js'
import { exportFile } from './write-file.js'

const Team = defineObject({
  name: 'Team',
  fields: { tea_code: { type: 'string', key: true }, tea_area: { type: 'string', key: true } },
})

/** Its key continues through another. */
const Person = defineObject({
  name: 'Person',
  fields: {
    per_code: { type: 'string', key: true },
    per_team_id: { type: 'reference', object: 'Team', key: true },
  },
})

const Note = defineObject({
  name: 'Note',
  fields: { not_code: { type: 'string', key: true }, not_person_id: { type: 'reference', object: 'Person' } },
})

const all = { object: '*', letters: 'R' }
const notes = { object: 'Note', letters: 'R' }
const people = { object: 'Person', letters: 'R' }

it.each<[string, GrantData[], string]>([
  ['nothing when all may be read', [all], '1,ann,red,north'],
  ['the key of an object that may not be read', [notes], '1,,,'],
  ['the key of an object without the letter R', [notes, { object: 'Person', letters: 'CU' }], '1,,,'],
  [
    'the key of a record that may not be read',
    [notes, { object: 'Person', letters: 'R', filter: 'per_code = eve' }],
    '1,,,',
  ],
  ['the rest of a key that may not be read', [notes, people], '1,ann,,'],
  [
    'the rest of a key whose record may not be read',
    [notes, people, { object: 'Team', letters: 'R', filter: 'tea_code = blue' }],
    '1,ann,,',
  ],
  ['a field that is hidden', [notes, people, { object: 'Team', letters: 'R', hidden: ['tea_area'] }], '1,ann,red,'],
  [
    'a reference that is hidden',
    [notes, { object: 'Person', letters: 'R', hidden: ['per_team_id'] }, { object: 'Team', letters: 'R' }],
    '1,ann,,',
  ],
])('an export leaves empty %s', async (_, grants, row) => {
  const { service, user } = await filled(grants)
  expect(await text(await exportFile(service, user, 'csv', ['Note']))).toBe(
    `not_code,not_person_id.per_code,not_person_id.per_team_id.tea_code,not_person_id.per_team_id.tea_area\r\n${row}\r\n`,
  )
})

it('an export fails when a linked record is gone, unless the user may not read all of them', async () => {
  const { service, user } = await filled([notes, { ...people, filter: 'per_code = eve' }], 'Person')
  await expect(exportFile(service, boss, 'csv', ['Note']).then(text)).rejects.toThrow('Person "1"')
  expect(await text(await exportFile(service, user, 'csv', ['Note']))).toContain('\r\n1,,,\r\n')
})

it('an export leaves out fields of its own that the user does not see', async () => {
  const { service, user } = await filled([{ object: 'Note', letters: 'R', hidden: ['not_person_id', 'created_by'] }])
  expect(await text(await exportFile(service, user, 'csv', ['Note'], { timestamps: true }))).toMatch(
    /^not_code,created_dt,updated_dt,updated_by\r\n1,/,
  )
})

/** @param gone object whose records cannot be found. */
async function filled(grants: readonly GrantData[], gone?: string) {
  const model = createModel([Team, Person, Note])
  const memory = createMemoryStore()
  const store: ObjectStore = {
    ...memory,
    async *search(object, query) {
      if (object.name !== gone) yield* memory.search(object, query)
    },
  }
  const service = createBusinessObjects({ model, store })
  const { row_id: team } = await service.create(boss, 'Team', { tea_code: 'red', tea_area: 'north' })
  const { row_id: person } = await service.create(boss, 'Person', { per_code: 'ann', per_team_id: team })
  await service.create(boss, 'Note', { not_code: '1', not_person_id: person })
  return { service, user: createPrincipal({ login: 'bob', rights: createRights(model, grants, {}) }) }
}
