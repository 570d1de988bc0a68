import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { Pieces } from './pieces.js'

it('holds what came in pieces of any size in few buffers', () => {
  const all = randomBytes(1 << 20)
  for (const sizes of [[1], [1, 5000], [4095, 4096], [70_000], [100, 1, 3995, 1]]) {
    const pieces = new Pieces()
    for (let at = 0, turn = 0; at < all.length; turn++) {
      const end = at + (sizes[turn % sizes.length] as number)
      pieces.add(all.subarray(at, end))
      at = end
    }
    expect(pieces.buffers, `pieces of ${sizes.join(', ')} bytes`).toBeLessThan(2 * Math.ceil(all.length / 4096))
    expect(pieces.take().equals(all)).toBe(true)
    expect(pieces.buffers).toBe(0)
  }
})

it('holds nothing, one piece, and nothing after it was cleared', () => {
  const pieces = new Pieces()
  expect(pieces.take()).toHaveLength(0)
  const long = randomBytes(10_000)
  pieces.add(long)
  expect(pieces.take()).toBe(long)
  pieces.add(Buffer.from('short'))
  expect(pieces.take().toString()).toBe('short')
  pieces.add(Buffer.from('gone'))
  pieces.clear()
  expect(pieces.take()).toHaveLength(0)
})
