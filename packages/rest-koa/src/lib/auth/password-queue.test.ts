import { expect, it } from 'vitest'
import { createPasswordQueue } from './password-queue.js'

/** Work that ends when the test says so. */
function createWork(): { work: () => Promise<string>; started: boolean; end: (error?: Error) => void } {
  const result = {
    started: false,
    end: (_error?: Error): void => {},
    work: (): Promise<string> => {
      result.started = true
      return new Promise((resolve, reject) => (result.end = (error) => (error ? reject(error) : resolve('done'))))
    },
  }
  return result
}

it('createPasswordQueue() runs a few at the same time, the others in their order, failures or not', async () => {
  const inTurn = createPasswordQueue({ concurrent: 2, waiting: 3 })
  const works = Array.from({ length: 5 }, createWork)
  const results = Promise.allSettled(works.map(({ work }) => inTurn(work)))
  const started = (): number[] => works.flatMap((work, at) => (work.started ? [at] : []))
  expect(started()).toEqual([0, 1])
  works[1]?.end(new Error('failed'))
  await expect.poll(started).toEqual([0, 1, 2])
  works[2]?.end()
  await expect.poll(started).toEqual([0, 1, 2, 3])
  works[0]?.end()
  await expect.poll(started).toEqual([0, 1, 2, 3, 4])
  works[3]?.end()
  works[4]?.end()
  expect((await results).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ])
})

it('createPasswordQueue() refuses what would have to wait too long, and takes more when there is room again', async () => {
  const inTurn = createPasswordQueue({ concurrent: 1, waiting: 1 })
  const works = Array.from({ length: 2 }, createWork)
  const running = works.map(({ work }) => inTurn(work))
  await expect(inTurn(async () => 'never')).rejects.toMatchObject({
    code: 'ERR_UNAVAILABLE',
    retryAfterSeconds: expect.any(Number),
  })
  works[0]?.end()
  await running[0]
  works[1]?.end()
  expect(await Promise.all([running[1], inTurn(async () => 'more')])).toEqual(['done', 'more'])
})

it.each([{ concurrent: 0 }, { concurrent: Number.NaN }, { waiting: -1 }])(
  'createPasswordQueue(%j) is refused',
  (options) => {
    expect(() => createPasswordQueue(options)).toThrow(TypeError)
  },
)
