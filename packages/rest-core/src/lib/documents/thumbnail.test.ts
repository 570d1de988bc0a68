import sharp from 'sharp'
import { expect, it } from 'vitest'
import { shrinkPicture } from './thumbnail.js'

const square = (side: number) => sharp({ create: { width: side, height: side, channels: 3, background: '#369' } })
const small = { pixels: 8, format: 'webp' } as const

it('shrinkPicture() does not decode a picture whose format is decoded whole when it has too many pixels', async () => {
  const avif = await square(4096).avif({ effort: 0 }).toBuffer()
  const png = await square(4096).png().toBuffer()
  expect(await shrinkPicture(avif, small)).toBeUndefined()
  expect(await shrinkPicture(png, small)).toMatchObject({ format: 'webp', width: 8, height: 8 })
})

it('shrinkPicture() keeps a JPEG one in documents, and makes a PNG of others', async () => {
  const options = { pixels: 8, format: 'portable' } as const
  expect(await shrinkPicture(await square(16).jpeg().toBuffer(), options)).toMatchObject({ format: 'jpeg' })
  expect(await shrinkPicture(await square(16).webp().toBuffer(), options)).toMatchObject({ format: 'png' })
  expect(await shrinkPicture(Buffer.from('not a picture'), options)).toBeUndefined()
})

it('shrinkPicture() refuses what one user asks for beyond a queue, and serves another one meanwhile', async () => {
  const picture = await square(2).png().toBuffer()
  let finished = 0
  const ofEve = Array.from({ length: 110 }, () =>
    shrinkPicture(picture, { ...small, caller: { user: 'eve' } }).finally(() => finished++),
  )
  const settled = Promise.allSettled(ofEve)
  expect(await shrinkPicture(picture, { ...small, caller: { user: 'bob' } })).toMatchObject({ width: 2 })
  expect(finished).toBeLessThan(110)
  const refused = (await settled).filter((one) => one.status === 'rejected')
  expect(refused).toHaveLength(9)
  expect(refused[0]?.reason).toMatchObject({ code: 'ERR_UNAVAILABLE' })
})

it('shrinkPicture() gives up a picture that its caller no longer waits for', async () => {
  const signal = AbortSignal.abort()
  const picture = await square(2).png().toBuffer()
  await expect(shrinkPicture(picture, { ...small, caller: { user: 'eve', signal } })).rejects.toMatchObject({
    code: 'ERR_UNAVAILABLE',
  })
})
