import { expect, it } from 'vitest'
import { whileItHolds } from './while-it-holds.js'

/** Answers of `holds` one after another; the last one for ever. */
function looks(...answers: readonly (boolean | Error)[]) {
  let count = 0
  const holds = (): boolean => {
    const answer = answers[Math.min(count++, answers.length - 1)]
    if (answer instanceof Error) throw answer
    return answer === true
  }
  return { holds, count: () => count }
}

it('whileItHolds() aborts after the proof holds no longer, and ignores a look that failed', async () => {
  const { holds, count } = looks(true, new Error('database is locked'), true, false)
  const signal = whileItHolds({ holds }, new AbortController().signal, 1)
  await expect.poll(() => signal.aborted).toBe(true)
  expect(count()).toBe(4)
})

it('whileItHolds() looks no more when all is over, also before the start', async () => {
  const over = new AbortController()
  const during = looks(true)
  whileItHolds(during, over.signal, 1)
  await expect.poll(during.count).toBeGreaterThan(0)
  over.abort()
  const [before, after] = [during.count(), looks(true)]
  expect(whileItHolds(after, over.signal, 1)).toBe(over.signal)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect([during.count(), after.count()]).toEqual([before, 0])
})
