import { describe, expect, it } from 'vitest'
import { giveBack, lend, lendOwn } from './lent.js'

describe('memory that is lent', () => {
  it('is free when each piece of it was given back, in any order', () => {
    let isFree = false
    const chunk = lend(Buffer.allocUnsafeSlow(10), () => (isFree = true))
    giveBack(chunk.subarray(4))
    expect(isFree).toBe(false)
    giveBack(chunk.subarray(0, 4))
    expect(isFree).toBe(true)
  })

  it('of its own is freed at once', () => {
    const chunk = lendOwn(Buffer.allocUnsafeSlow(10))
    giveBack(chunk)
    expect(chunk.buffer.byteLength).toBe(0)
  })

  it('that others use, too, and what was not lent stay as they are', () => {
    const memory = Buffer.from('both, of one memory'.repeat(1000))
    const part = lendOwn(memory.subarray(0, 4))
    giveBack(part)
    giveBack(memory)
    expect(part.toString()).toBe('both')
  })
})
