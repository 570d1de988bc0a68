import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDocumentStore } from '@steward/rest-core/testing'
import { expect, it } from 'vitest'
import { documents } from './src/index.js'

async function openIn(dataFolder: string) {
  return documents.open({}, { dataFolder })
}

testDocumentStore('deduping', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'steward-dedupe-'))
  return {
    store: await openIn(dataFolder),
    reopen: () => openIn(dataFolder),
    dispose: () => rm(dataFolder, { recursive: true }),
  }
})

it('keeps equal contents once, until the last document with them is gone', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'steward-dedupe-'))
  const store = await openIn(dataFolder)
  const contents = () => readdir(join(dataFolder, 'documents', 'contents'))
  const options = { name: 'a.txt', path: 'Movie/mov_notes', maxBytes: 100 }
  const ids: string[] = []
  for (let count = 0; count < 3; count++) ids.push((await store.put(Buffer.from('same'), options)).id)
  await store.put(Buffer.from('other'), options)
  expect(await contents()).toHaveLength(2)
  for (const [at, id] of ids.entries()) {
    await store.delete(id)
    expect(await contents()).toHaveLength(at === 2 ? 1 : 2)
  }
  await rm(dataFolder, { recursive: true })
})

it('reports unknown options', () => {
  expect(() => documents.open({ bucket: 'x' }, { dataFolder: '/nowhere' })).toThrow('There is no option "bucket"')
})
