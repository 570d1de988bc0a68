import { expect, it } from 'vitest'
import { hashesIn, passHashes } from './password-hashes.js'

it('passHashes() lets a body have the hashes of the one that it is based on, so that none is computed twice', async () => {
  const [body, whole] = [{ password: 'sesame' }, { password: 'sesame', key: 1 }]
  passHashes(body, whole)
  expect(await hashesIn(whole)('sesame')).toBe(await hashesIn(body)('sesame'))
})

it('passHashes() of what is no object does nothing', () => {
  for (const body of [null, undefined, 'sesame']) expect(() => passHashes(body, {})).not.toThrow()
})
