import { expect, it } from 'vitest'
import { placeFile, siteFile } from './file-names.js'

it('no two places have the same file', () => {
  const instance = { id: 'a', name: 'demo' }
  const upstream = { host: '127.0.0.1', port: 1 }
  const names = ['', '/a/b', '/a_b', '/a', '/a.b'].flatMap((path) =>
    ['[::1]', '__1', 'a.test'].map((host) => placeFile({ host }, { path, instance, upstream })),
  )
  expect(new Set(names).size).toBe(names.length)
  expect(siteFile({ host: '[::1]' })).toBe('==1')
})
