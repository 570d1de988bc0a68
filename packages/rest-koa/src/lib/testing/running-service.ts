import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBusinessObjects, createDiskDocumentStore } from '@steward/rest-core'
import type { BusinessObjects, Change, DocumentStore, Model, ObjectDefinition, ObjectStore } from '@steward/rest-core'

/** A service under test, over tables that are there and empty. */
export interface RunningService {
  readonly service: BusinessObjects
  readonly store: ObjectStore
  readonly documents: DocumentStore
  /** Folder of the documents. */
  readonly folder: string
  /** What listeners received. */
  readonly changes: readonly Change[]
  close(): Promise<void>
}

/** Starts a service with these objects; called once per group of tests. */
export type StartService = (definitions: readonly ObjectDefinition[]) => Promise<RunningService>

/** A service over a store, with documents in a folder of their own. */
export async function runService(model: Model, store: ObjectStore): Promise<RunningService> {
  await store.sync(model)
  const folder = await mkdtemp(join(tmpdir(), 'steward-documents-'))
  const documents = createDiskDocumentStore({ folder })
  const changes: Change[] = []
  return {
    service: createBusinessObjects({ model, store, documents, onChange: (change) => changes.push(change) }),
    store,
    documents,
    folder,
    changes,
    async close() {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
