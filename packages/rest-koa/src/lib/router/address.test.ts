import { describe, expect, it } from 'vitest'
import { normalisePrefixes, readAddress, readTarget } from './address.js'

describe('readAddress()', () => {
  it.each([
    ['/api/rest', { base: '/api/rest', path: '', query: '' }],
    ['/api/rest/', { base: '/api/rest', path: '/', query: '' }],
    ['/api/rest?session=true', { base: '/api/rest', path: '', query: 'session=true' }],
    ['/api/rest/A/1?x=/?', { base: '/api/rest', path: '/A/1', query: 'x=/?' }],
    ['/appws/rest/A', { base: '/appws/rest', path: '/A', query: '' }],
    ['/api/restaurant', undefined],
    ['/api', undefined],
    ['/?/api/rest', undefined],
    ['*', undefined],
  ])('%s', (url, expected) => {
    expect(readAddress(url, normalisePrefixes(['/api/rest/', '/appws/rest']))).toEqual(expected)
  })

  it('takes everything with an empty prefix', () => {
    expect(readAddress('/A?x', normalisePrefixes(''))).toEqual({ base: '', path: '/A', query: 'x' })
  })

  it('finds the longest prefix first', () => {
    expect(readAddress('/rest/json/A', normalisePrefixes(['/rest', '/rest/json']))).toMatchObject({ path: '/A' })
  })
})

describe('readTarget()', () => {
  it.each([
    ['', { kind: 'info' }],
    ['/', { kind: 'info' }],
    ['/A', { kind: 'object', object: 'A' }],
    ['/A/_', { kind: 'object', object: 'A' }],
    ['/A/0/', { kind: 'object', object: 'A' }],
    ['/A/00', { kind: 'row', object: 'A', rowId: '00' }],
    ['/%41/a%2Fb%20c', { kind: 'row', object: 'A', rowId: 'a/b c' }],
    ['/A/a+b', { kind: 'row', object: 'A', rowId: 'a+b' }],
    ['/A/', { kind: 'object', object: 'A' }],
    ['/A//', { kind: 'object', object: 'A' }],
    ['/A/1/', { kind: 'row', object: 'A', rowId: '1' }],
    ['/A/1/x', { kind: 'none' }],
    ['//A', { kind: 'none' }],
    ['/A/1//', { kind: 'none' }],
    ['//', { kind: 'none' }],
    ['/_index', { kind: 'index' }],
    ['/A/_index/', { kind: 'index', object: 'A' }],
    ['/_doc', { kind: 'view', parameter: '_doc', value: 'true' }],
    ['/A/_count', { kind: 'view', object: 'A', parameter: '_count', value: 'true' }],
    ['/A/_metadata', { kind: 'view', object: 'A', parameter: '_metadata', value: 'true' }],
    ['/A/crosstab:a%20b', { kind: 'view', object: 'A', parameter: '_crosstab', value: 'a b' }],
    ['/A/_nope', { kind: 'none' }],
    ['/A/crosstab:', { kind: 'none' }],
    ['/A/1/_count', { kind: 'none' }],
  ])('%s', (path, expected) => {
    expect(readTarget({ base: '', path, query: '' })).toEqual(expected)
  })
})

describe('normalisePrefixes()', () => {
  it.each(['api/rest', 'http://x/api', '/a?b', '/a#b', '/a b', '//'])('refuses %j', (prefix) => {
    expect(() => normalisePrefixes(prefix)).toThrow(TypeError)
  })
})
