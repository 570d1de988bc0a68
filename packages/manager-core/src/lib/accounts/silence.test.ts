import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { whyNoAccounts } from '../testing/reachable-checkout.js'
import { pipeThrough, runChain, runFilter, type Command } from './program.js'
import { silence } from './silence.js'

/** An id of an account is enough to run as it. */
const account = { name: 'steward-test', uid: 59_998, gid: 59_998 }
const sh = (script: string): Command => ({ command: '/bin/sh', args: ['-c', script], account })
const cat: Command = { command: 'cat', args: [] }

if (whyNoAccounts !== undefined) it('programs of accounts are ended', ({ skip }) => skip(whyNoAccounts))

describe.runIf(whyNoAccounts === undefined)('a program of an account that stops itself', () => {
  const { limitMs } = silence
  beforeAll(() => void (silence.limitMs = 1200))
  afterAll(() => void (silence.limitMs = limitMs))
  const ended = /^sh, which ran as the account "steward-test", did nothing for 2 seconds and was ended/

  it('is ended, with all that read from it or write to it', async () => {
    const stopped = sh('kill -STOP $$')
    const alone = runFilter([stopped])
    const piped = runFilter([stopped])
    const ends = await Promise.allSettled([
      runChain([stopped, cat], {}),
      runChain([stopped, sh('cat')], {}),
      pipeline(alone.output, new PassThrough().resume()),
      alone.done,
      pipeThrough(piped, [Readable.from([Buffer.alloc(1 << 20)])], [new PassThrough().resume()]),
    ])
    for (const end of ends) expect(end).toMatchObject({ reason: { message: expect.stringMatching(ended) } })
  })

  it('is ended while nothing reads its output yet', async () => {
    const filter = runFilter([sh('kill -STOP $$')])
    await expect(filter.done).rejects.toThrow(ended)
    await expect(pipeline(filter.output, new PassThrough().resume())).rejects.toThrow()
  })

  it('is ended when it has left a process that keeps its output open', async () => {
    const left = sh('sleep 600 & echo $!')
    const filter = runFilter([left])
    let pid = ''
    const reading = pipeline(filter.output, async (output: AsyncIterable<Buffer>) => {
      for await (const text of output) pid += String(text)
    })
    await expect(reading).rejects.toThrow(ended)
    process.kill(Number(pid), 'SIGKILL')
  })
})
