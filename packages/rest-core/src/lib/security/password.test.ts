import { describe, expect, it } from 'vitest'
import { hashPassword, verifyPasswordHash } from './password.js'

const cheap = { logN: 4, r: 8, p: 1 }

describe('hashPassword()', () => {
  it('gives a text that holds its parameters and not the password', async () => {
    const hash = await hashPassword('correct horse')
    expect(hash).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(hash).not.toContain('correct')
  })

  it('gives another text each time', async () => {
    expect(await hashPassword('same', cheap)).not.toBe(await hashPassword('same', cheap))
  })

  it.each([
    { logN: 0, r: 8, p: 1 },
    { logN: 21, r: 8, p: 1 },
    { logN: 20, r: 8, p: 1 },
    { logN: 4, r: 8, p: 17 },
    { logN: 4.5, r: 8, p: 1 },
  ])('refuses the cost %o', async (cost) => {
    await expect(hashPassword('x', cost)).rejects.toThrow(RangeError)
  })
})

describe('verifyPasswordHash()', () => {
  it.each(['correct horse', '', 'é€🐴', 'a\0b', 'x'.repeat(10_000)])(
    'accepts the right password and no other (%#)',
    async (password) => {
      const hash = await hashPassword(password, cheap)
      expect(await verifyPasswordHash(password, hash)).toBe(true)
      expect(await verifyPasswordHash(`${password}x`, hash)).toBe(false)
      expect(await verifyPasswordHash('wrong', hash)).toBe(false)
    },
  )

  it('takes no password with NUL characters at its end, which the hash does not see', async () => {
    expect(await verifyPasswordHash('secret\0', await hashPassword('secret', cheap))).toBe(false)
  })

  it('takes a letter and its accent typed apart for the same as typed together', async () => {
    expect(await verifyPasswordHash('caf\u0065\u0301', await hashPassword('caf\u00e9', cheap))).toBe(true)
  })

  it.each([
    undefined,
    '',
    'secret',
    '$scrypt$ln=14,r=8,p=5$$',
    '$scrypt$ln=20,r=32,p=16$c2FsdHNhbHRzYWx0c2FsdA$c2FsdHNhbHRzYWx0c2FsdHNhbHQ',
    '$2b$10$abcdefghijklmnopqrstuv',
  ])('answers false for %j, which is not a hash', async (hash) => {
    expect(await verifyPasswordHash(hash === '' ? '' : 'secret', hash)).toBe(false)
  })

  it('works as hard for a user who does not exist as for one who does', async () => {
    const hash = await hashPassword('secret')
    const known = await processorTime(() => verifyPasswordHash('wrong', hash))
    const unknown = await processorTime(() => verifyPasswordHash('wrong', undefined))
    // Processor time, not the clock's; without the work it would be thousands of times less.
    expect(unknown).toBeGreaterThan(known / 20)
  })
})

async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage()
  await work()
  return process.cpuUsage(start).user
}
