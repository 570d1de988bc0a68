import { expect, test } from 'vitest'
import { loadFake } from './fake.js'
import { fakeKinds } from './rule.js'

const seed = (byte: number) => Buffer.alloc(32, byte)

test('every kind makes a text, the same one of the same seed, in the language that is asked for', async () => {
  const [english, french] = [await loadFake('en'), await loadFake('fr')]
  for (const kind of fakeKinds) {
    const made = english(kind, seed(7), 'abcdefghij', 40)
    expect(made, kind).toMatch(/\S/)
    expect(english(kind, seed(7), 'abcdefghij', 40), kind).toBe(made)
  }
  const names = (fake: typeof english) => Array.from({ length: 20 }, (_, at) => fake('firstName', seed(at + 1), '', 10))
  expect(new Set(names(english)).size).toBeGreaterThan(15)
  expect(names(english)).not.toEqual(names(french))
  expect(english('text', seed(1), '', 100_000).length).toBeLessThanOrEqual(10_000)
})

test('a missing locale is reported', async () => {
  await expect(loadFake('xx')).rejects.toMatchObject({
    code: 'ERR_SETTINGS',
    message: 'Values cannot be generated for the locale "xx".',
  })
})
