import { PassThrough, Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { linkStreams } from './link-streams.js'

const silent = () => new Readable({ read() {} })
const translate = (error: unknown) => error

it('linkStreams() keeps the reason of an abort for a reader that has not started', async () => {
  const cancel = new AbortController()
  const linked = linkStreams(silent(), new PassThrough(), { signal: cancel.signal, translate })
  cancel.abort(new Error('Somebody cancelled it'))
  await turn()
  await expect(linked.toArray()).rejects.toThrow('Somebody cancelled it')
})

it('linkStreams() keeps the error of what it reads for a reader that has not started', async () => {
  const from = silent()
  const linked = linkStreams(from, new PassThrough(), { translate })
  from.destroy(new Error('It was cut off'))
  await turn()
  await expect(linked.toArray()).rejects.toThrow('It was cut off')
})
