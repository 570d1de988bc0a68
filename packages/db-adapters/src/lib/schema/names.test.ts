import { describe, expect, it } from 'vitest'
import { isOwnKey, isOwnName, nameGiver, ownName } from './names.js'

describe('ownName()', () => {
  it('follows from table and columns', () => {
    expect(ownName('key', 'movie', ['title', 'year'])).toBe('stw_key_movie_title_year')
    expect(isOwnName(ownName('index', 'movie', ['title']))).toBe(true)
    expect(isOwnKey(ownName('key', 'movie', ['title']))).toBe(true)
    expect(isOwnKey(ownName('unique', 'movie', ['key']))).toBe(false)
    expect(isOwnName('movie_title_index')).toBe(false)
  })

  it('fits into 63 bytes and stays distinct', () => {
    const names = ['a', 'b', 'é'].map((end) => ownName('foreignKey', 'ü'.repeat(60), [end]))
    expect(new Set(names).size).toBe(3)
    for (const name of names) {
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(63)
      expect(name.isWellFormed()).toBe(true)
    }
    expect(ownName('foreignKey', 'ü'.repeat(60), ['a'])).toBe(names[0])
  })
})

describe('nameGiver()', () => {
  it('avoids names that are taken, without regard to case', () => {
    const give = nameGiver(['STW_A'])
    expect([give('stw_a'), give('stw_a'), give('stw_b')]).toStrictEqual(['stw_a_2', 'stw_a_3', 'stw_b'])
  })

  it('keeps numbered names within 63 bytes', () => {
    const long = 'x'.repeat(63)
    const give = nameGiver([long])
    const [second, third] = [give(long), give(long)]
    expect(second).not.toBe(third)
    expect(second.length).toBeLessThanOrEqual(63)
  })
})
