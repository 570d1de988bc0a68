import { expect, it } from 'vitest'
import { Turns } from './turns.js'

it('take() gives users their turns, and what one of them waits for in its order', () => {
  const turns = new Turns<string>()
  for (const item of ['a1', 'a2', 'a3']) turns.add('ann', item)
  for (const item of ['b1', 'b2']) turns.add('bob', item)
  const taken: unknown[] = []
  for (let n = 0; n < 6; n++) taken.push(turns.take(() => true))
  expect(taken).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', undefined])
})

it('take() passes over what may not start', () => {
  const turns = new Turns<string>()
  for (const item of ['a1', 'a2']) turns.add('ann', item)
  turns.add('bob', 'b1')
  expect(turns.take((_, user) => user !== 'ann')).toBe('b1')
  expect(turns.take((item) => item === 'a2')).toBe('a2')
  expect([turns.countOf('ann'), turns.countOf('bob')]).toEqual([1, 0])
})

it('delete() takes something away that waits', () => {
  const turns = new Turns<string>()
  turns.add('ann', 'a1')
  turns.add('ann', 'a2')
  expect([turns.delete('ann', 'a1'), turns.delete('ann', 'a1'), turns.delete('bob', 'a2')]).toEqual([
    true,
    false,
    false,
  ])
  expect(turns.clear()).toEqual(['a2'])
  expect(turns.take(() => true)).toBeUndefined()
})
