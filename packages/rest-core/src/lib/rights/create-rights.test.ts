import { expect, test } from 'vitest'
import { DefinitionError } from '../../errors.js'
import { createModel } from '../model/create-model.js'
import { createRights, rightsOfGrants, type GrantData } from './create-rights.js'

const model = createModel([
  {
    name: 'Customer',
    fields: { cus_name: { type: 'string', length: 50 }, cus_discount: { type: 'integer' } },
    actions: { greet: { run: () => 'hello' } },
  },
  { name: 'Note', timestamps: false, fields: { not_text: { type: 'text' } } },
])
const rightsOf = (grant: GrantData) => createRights(model, [{ object: 'Note', letters: 'R' }, grant], { LOGIN: 'ann' })

test.each<[GrantData, string]>([
  [
    { object: 'Customer', letters: 'R', hidden: ['cus_name', 'cus_discuont'] },
    'A grant on "Customer" hides the field "cus_discuont", which does not exist.',
  ],
  [{ object: '*', letters: 'R', hidden: ['x'] }, 'A grant on "*" hides the field "x", which does not exist.'],
  [{ object: 'Custmer', letters: 'R' }, 'A grant on "Custmer": there is no object "Custmer".'],
  [{ object: 'Customer', letters: 'Rw' }, 'A grant on "Customer": there is no letter "w". Known: CRUDA.'],
  [
    { object: 'Customer', letters: 'A', actions: ['greet', 'gret'] },
    'A grant on "Customer" names "gret", which is not among the actions.',
  ],
  [
    { object: 'Customer', letters: 'R', filter: 'cus_nmae = [LOGIN]' },
    'A grant on "Customer": Object "Customer" has no field "cus_nmae", at position 1 of the filter.',
  ],
])('createRights() with %j throws', (grant, message) => {
  expect(() => rightsOf(grant)).toThrow(DefinitionError)
  expect(() => rightsOf(grant)).toThrow(message)
})

test('createRights() names all that is wrong with all grants', () => {
  const wrong = [
    { object: 'Customer', letters: 'X', hidden: ['a', 'b'] },
    { object: 'Note', letters: 'Z' },
  ]
  expect(() => createRights(model, wrong, {})).toThrow(
    expect.objectContaining({ messages: expect.toSatisfy((all: string[]) => all.length === 4) }),
  )
})

test('createRights() takes a row filter for all objects that one of them has the fields for', () => {
  const rights = rightsOf({ object: '*', letters: 'R', filter: 'created_by = [LOGIN]' })
  expect(rights.object('Customer')?.letters.get('R')).toMatchObject({ field: 'created_by' })
  expect(() => rights.object('Note')).toThrow('The row filter of a grant on "Note" cannot be read.')
})

test('a stored grant that hides a field which is gone shows nothing of its object, and leaves the others alone', () => {
  const stored = [
    { object: 'Customer', letters: 'R', hidden: ['cus_rebate'] },
    { object: 'Note', letters: 'R' },
  ]
  const rights = rightsOfGrants(model, stored, {})
  expect(() => rights.object('Customer')).toThrow('hides the field "cus_rebate", which does not exist')
  expect([...(rights.object('Note')?.letters.keys() ?? [])]).toEqual(['R'])
})
