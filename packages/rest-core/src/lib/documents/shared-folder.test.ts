import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { cleanDocuments } from './clean-documents.js'
import { createDiskDocumentStore } from './disk-document-store.js'

/** Stores and removes documents until it is killed, and reports each one once it is stored. */
const writer = `
import { Readable } from 'node:stream'
import { createDiskDocumentStore } from '@steward/rest-core'
const store = createDiskDocumentStore({ folder: process.argv[1] })
const options = { name: 'notes.bin', path: 'Paper/pap_file', maxBytes: 1e6 }
async function* chunks(fill) { for (let at = 0; at < 8; at++) yield Buffer.alloc(65_536, fill) }
const write = async (from) => {
  for (let at = from; ; at++) {
    const { id } = await store.put(Readable.from(chunks(at)), options)
    if (at % 3 === 0) { console.log('begin ' + id); await store.delete(id) }
    else console.log('stored ' + id + ' ' + (at & 255))
  }
}
await Promise.all([write(0), write(100), write(200)])
`

test('two processes on one folder: a kill leaves whole documents, and nothing of another process is cleaned', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'steward-shared-'))
  const [first, second] = [startWriter(folder), startWriter(folder)]
  try {
    const here = createDiskDocumentStore({ folder })
    const model = createModel([{ name: 'Paper', fields: { pap_file: { type: 'document' } } }])
    const nobody = { model, store: createMemoryStore(), documents: here }
    // Cleans while both write: nothing is old enough.
    expect(await first.stored(5)).toBe(true)
    expect(await cleanDocuments(nobody)).toBe(0)
    first.kill()
    const before = second.count()
    expect(await second.stored(before + 5)).toBe(true)
    expect(await cleanDocuments(nobody)).toBe(0)
    second.kill()
    const acknowledged = new Map([...(await first.ended()), ...(await second.ended())])

    let drafts = 0
    const seen = new Set<string>()
    for await (const { id } of here.list()) {
      const info = await here.info(id)
      if (!info) {
        drafts++
        continue
      }
      const bytes = await buffer(await here.read(id))
      expect(bytes.length).toBe(524_288)
      expect(new Set(bytes).size).toBe(1)
      if (acknowledged.has(id)) expect(bytes[0]).toBe(acknowledged.get(id))
      seen.add(id)
    }
    for (const id of acknowledged.keys()) expect(seen, id).toContain(id)

    // A day later what no record has goes, and so do the uploads that were cut.
    const clock = () => new Date(Date.now() + 2 * 86_400_000)
    expect(await cleanDocuments({ ...nobody, clock })).toBe(seen.size + drafts)
    for await (const { id } of here.list()) expect.unreachable(`${id} is left`)
  } finally {
    for (const writer of [first, second]) {
      writer.kill()
      await writer.ended()
    }
    await rm(folder, { recursive: true })
  }
})

function startWriter(folder: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', writer, folder], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const found = new Map<string, number>()
  const waiting = new Set<() => void>()
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    const [word, id = '', fill] = line.split(' ')
    if (word === 'stored' && fill !== undefined) found.set(id, Number(fill))
    for (const check of waiting) check()
  })
  const end = new Promise<void>((resolve) => void lines.once('close', resolve))
  return {
    count: () => found.size,
    /** Whether it stored that many before it ended. */
    async stored(most: number): Promise<boolean> {
      let check = () => {}
      const enough = new Promise<void>((resolve) => {
        check = () => found.size >= most && resolve()
        waiting.add(check)
        check()
      })
      await Promise.race([enough, end])
      waiting.delete(check)
      return found.size >= most
    },
    kill: () => child.kill('SIGKILL'),
    async ended() {
      await end
      return found
    },
  }
}
