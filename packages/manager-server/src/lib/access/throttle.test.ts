import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createThrottle, type Attempt } from './throttle.js'

const limit = 3
let throttle: ReturnType<typeof createThrottle>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  throttle = createThrottle()
})

afterEach(() => vi.useRealTimers())

const guess = (attempt: Attempt) => throttle.attempt(attempt, limit, () => false)
const logIn = (attempt: Attempt) => throttle.attempt(attempt, limit, () => true)
const minutes = (count: number) => vi.advanceTimersByTime(count * 60_000)
const refused = { waitSeconds: expect.any(Number) }

it('too many wrong passwords from an address make it wait, the right one too', async () => {
  const from = { address: '192.0.2.1' }
  for (let n = 0; n < limit; n++) expect(await guess(from)).toBe(false)
  minutes(5)
  expect(await logIn(from)).toEqual({ waitSeconds: 600 })
  expect(await logIn({ address: '192.0.2.2' })).toBe(true)
  // Trying meanwhile makes it no longer.
  for (let n = 0; n < 100; n++) await guess(from)
  minutes(10)
  expect(await logIn(from)).toBe(true)
})

it('right ones are not counted, and take no wrong one back', async () => {
  const from = { address: '192.0.2.1' }
  for (let n = 0; n < 50; n++) expect(await logIn(from)).toBe(true)
  for (let n = 0; n < limit; n++) {
    expect(await guess(from)).toBe(false)
    expect(await logIn(from)).toEqual(n < limit - 1 ? true : refused)
  }
})

it('many at the same time are no more than one after the other', async () => {
  const tried = vi.fn<() => boolean>(() => false)
  const all = Array.from({ length: 50 }, () => throttle.attempt({ address: '192.0.2.1' }, limit, tried))
  await Promise.all(all)
  expect(tried).toHaveBeenCalledTimes(limit)
})

it('right ones at the same time are all let in', async () => {
  const from = { address: '127.0.0.1', user: 0 }
  expect(new Set(await Promise.all(Array.from({ length: 50 }, () => logIn(from))))).toEqual(new Set([true]))
})

it('addresses of one IPv6 network are one', async () => {
  for (let n = 0; n < limit; n++) await guess({ address: `2001:db8:0:1::${n}` })
  expect(await guess({ address: '2001:db8:0:1:ffff::1' })).toEqual(refused)
  expect(await guess({ address: '2001:db8:0:2::1' })).toBe(false)
})

it('guesses from everywhere are counted together, and keep out no address and no browser of an earlier login', async () => {
  const home = { address: '192.0.2.1' }
  expect(await logIn(home)).toBe(true)
  let tried = 0
  for (let n = 0; n < 250; n++) if ((await guess({ address: `203.0.113.${n}` })) === false) tried++
  expect(tried).toBe(10 * limit)
  expect(await logIn({ address: '198.51.100.1' })).toEqual(refused)
  expect(await logIn(home)).toBe(true)
  expect(await logIn({ address: '198.51.100.1', device: 'laptop' })).toBe(true)
})

it('a browser of an earlier login gets in while others guess from the same address without end', async () => {
  const from = { address: '127.0.0.1' }
  for (let n = 0; n < 10 * limit; n++) await guess(from)
  expect(await logIn(from)).toEqual(refused)
  expect(await logIn({ ...from, device: 'laptop' })).toBe(true)
  for (let n = 0; n < limit; n++) expect(await guess({ ...from, device: 'laptop' })).toBe(false)
  expect(await logIn({ ...from, device: 'laptop' })).toEqual(refused)
})

it('users of this machine are counted each by themselves', async () => {
  const [instance, operator] = [
    { address: '127.0.0.1', user: 65_533 },
    { address: '127.0.0.1', user: 0 },
  ]
  for (let n = 0; n < 20 * limit; n++) await guess(instance)
  expect(await logIn(instance)).toEqual(refused)
  expect(await logIn(operator)).toBe(true)
  // Nor do they fill the count of all others.
  expect(await logIn({ address: '198.51.100.1' })).toBe(true)
})

it('without a limit no one waits', async () => {
  for (let n = 0; n < 200; n++) expect(await throttle.attempt({ address: '::1' }, 0, () => false)).toBe(false)
})
