import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { partPath } from '../parts.js'
import type { RemoteFiles } from './remote-files.js'
import { putFile } from './write.js'

it('an upload starts again when the one that was cut wrote on while it resumed', async () => {
  const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251))
  const stored = new Map<string, Buffer>([[partPath('a', 'resumed1'), bytes.subarray(0, 400)]])
  const starts: number[] = []
  const files = {
    movesExclusively: true,
    stat: (path: string) => {
      const content = stored.get(path)
      return Promise.resolve(content && { size: content.length, modified: new Date(0) })
    },
    async write(path: string, start: number, chunks: AsyncIterable<Buffer>) {
      starts.push(start)
      // With what the server had received of the upload that was cut.
      const parts = start === 0 ? [] : [stored.get(path) as Buffer, bytes.subarray(400, 450)]
      for await (const chunk of chunks) parts.push(chunk)
      stored.set(path, Buffer.concat(parts))
    },
    read: (path: string, start: number, end: number) =>
      Promise.resolve(Readable.from([stored.get(path)?.subarray(start, end)])),
    move: (from: string, to: string) => {
      stored.set(to, stored.get(from) as Buffer)
      stored.delete(from)
      return Promise.resolve()
    },
  } as unknown as RemoteFiles
  const source = { size: bytes.length, open: (start = 0) => Readable.from([bytes.subarray(start)]) }
  expect(await putFile(files, 'a', 'resumed1', source, {})).toMatchObject({ key: 'a', size: 1000 })
  expect(starts).toEqual([400, 0])
  expect(stored.get('a')).toEqual(bytes)
})
