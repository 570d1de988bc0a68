import { describe, expect, it, onTestFinished } from 'vitest'
import { Outbox, type Notice } from './outbox.js'

/** A channel that fails a given number of times. */
function outbox(failures: number, giveUpMs = 60_000) {
  const sent: string[] = []
  const told: Notice<string>[] = []
  const problems: string[] = []
  let left = failures
  const box = new Outbox<string>({
    channels: [
      { send: async (content) => (left-- > 0 ? 'It did not work.' : void sent.push(content)) },
      { send: async () => undefined },
    ],
    onProblem: (message) => void problems.push(message),
    onTold: (notice) => void told.push(notice),
    pauses: [20],
    giveUpMs,
  })
  onTestFinished(() => box.close())
  return { box, sent, told, problems }
}

describe('Outbox', () => {
  it('retries until it is delivered, and complains once', async () => {
    const { box, sent, told, problems } = outbox(3)
    box.put({ about: 1, content: 'down' })
    await expect.poll(() => told).toEqual([{ about: 1, content: 'down' }])
    expect(sent).toEqual(['down'])
    expect(problems).toEqual(['It did not work.'])
  })

  it('sends only the end of what was over before it could be sent', async () => {
    const { box, sent, told } = outbox(1)
    box.put({ about: 1, content: 'down' })
    box.put({ about: 2, content: 'another one' })
    box.put({ about: 1, content: 'over' })
    await expect.poll(() => told).toHaveLength(2)
    expect(sent).toEqual(['another one', 'over'])
  })

  it('sends what is put at any time', async () => {
    for (let ticks = 0; ticks < 20; ticks++) {
      const { box, sent } = outbox(0)
      box.put({ about: 1, content: 'first' })
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      box.put({ about: 2, content: 'second' })
      await expect.poll(() => sent, { interval: 1 }).toEqual(['first', 'second'])
    }
  })

  it('gives up some day', async () => {
    const { box, sent, told, problems } = outbox(1000, 30)
    box.put({ about: 1, content: 'down' })
    await expect.poll(() => told).toHaveLength(1)
    expect(sent).toEqual([])
    expect(problems.at(-1)).toBe('It did not work. No more attempts are made.')
  })
})
