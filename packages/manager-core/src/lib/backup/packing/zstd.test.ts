import { Readable } from 'node:stream'
import { zstdCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { withoutEmptyFrame } from './zstd.js'

const empty = zstdCompressSync('', { params: { 201: 1 } })

async function through(...chunks: readonly Buffer[]): Promise<Buffer> {
  return Buffer.concat(await Readable.from(chunks).pipe(withoutEmptyFrame()).toArray())
}

it('an empty frame after another one is dropped, wherever the chunks end', async () => {
  const frame = zstdCompressSync('something', { params: { 201: 1 } })
  const both = Buffer.concat([frame, empty])
  expect(await through(frame)).toEqual(frame)
  expect(await through(both)).toEqual(frame)
  for (const at of [1, frame.length - 1, frame.length, both.length - 1])
    expect(await through(both.subarray(0, at), both.subarray(at))).toEqual(frame)
})

it('the frame of nothing stays', async () => {
  expect(await through(empty)).toEqual(empty)
})
