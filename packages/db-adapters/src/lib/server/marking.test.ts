import { expect, it } from 'vitest'
import { createMarking } from './marking.js'

it.each(["Steward it's", 'Steward a\\b', 'Steward a\nb', 'Steward ä', `Steward ${'x'.repeat(243)}`, 'nameless', ''])(
  'the mark %j is refused',
  (mark) => expect(() => createMarking({ mark }, undefined)).toThrow(TypeError),
)

it('comments of people are no marks', async () => {
  const read = async () => ['default administrative connection database', null, undefined, 'Steward /a', 'Steward /a']
  const marking = createMarking({ mark: 'Steward /b' }, { comments: read, write: async () => {} })
  const account = { name: 'one', user: 'two', password: '' }
  expect(await marking.marks(async () => [], account)).toEqual(['Steward /a'])
})

it('a mark that is void does not count', async () => {
  const table = { comments: async () => ['Steward /a'], write: async () => {} }
  const account = { name: 'one', user: 'two', password: '' }
  const refused = (isVoid?: (mark: string) => boolean) =>
    createMarking({ mark: 'Steward /b', isVoid }, table).refuseOther(async () => [], account)
  await expect(refused()).rejects.toMatchObject({ code: 'ERR_MARK' })
  await expect(refused((mark) => mark === 'Steward /c')).rejects.toMatchObject({ code: 'ERR_MARK' })
  await expect(refused((mark) => mark === 'Steward /a')).resolves.toBeUndefined()
})
