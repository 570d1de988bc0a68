import { setImmediate } from 'node:timers/promises'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Client } from 'basic-ftp'
import { describe, expect, it } from 'vitest'
import { readFile } from './read.js'

describe('a download of FTP', () => {
  it('continues when the next bytes come while its reader asks for them', async () => {
    const [pieces, pieceBytes] = [400, 4096]
    const chunks = Array.from({ length: pieces }, (_, number) => Buffer.alloc(pieceBytes, number))
    // Small chunks are buffered before the reader: several are ready at the same time.
    const downloadTo = (sink: Writable) => pipeline(Readable.from(chunks, { objectMode: false }), sink)
    const client = { downloadTo } as unknown as Client
    const end = pieces * pieceBytes
    let bytes = 0
    for await (const chunk of readFile({ client, release: () => {} }, 'file', 0, end, undefined)) {
      bytes += (chunk as Buffer).length
      await setImmediate()
    }
    expect(bytes).toBe(end)
  })
})
