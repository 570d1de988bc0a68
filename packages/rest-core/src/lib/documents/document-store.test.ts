import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDocumentStore } from '../testing/test-document-store.js'
import { createDiskDocumentStore } from './disk-document-store.js'
import { createMemoryDocumentStore } from './memory-document-store.js'

testDocumentStore('memory', () => ({ store: createMemoryDocumentStore() }))

testDocumentStore('disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'steward-documents-'))
  return {
    store: createDiskDocumentStore({ folder }),
    reopen: () => createDiskDocumentStore({ folder }),
    dispose: () => rm(folder, { recursive: true }),
  }
})
