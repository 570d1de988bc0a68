import { defineObject } from '../definition/define-object.js'
import type { ObjectDefinition } from '../definition/definition.js'
import type { DocumentStore } from '../documents/document-store.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { createPrincipal, systemPrincipal } from '../rights/principal.js'
import { createRights } from '../rights/create-rights.js'
import type { GrantData } from '../rights/create-rights.js'
import type { BusinessRecord } from '../model/model.js'
import type { ObjectHooks } from './hooks.js'
import { createBusinessObjects } from './create-business-objects.js'
import type { BusinessObjectsOptions } from './create-business-objects.js'

export const Genre = defineObject({
  name: 'Genre',
  fields: {
    gen_code: { type: 'string', length: 10, key: true },
    gen_name: { type: 'string', length: 50, required: true },
  },
})

export const Movie = defineObject({
  name: 'Movie',
  pageSize: 2,
  fields: {
    mov_code: { type: 'string', length: 20, key: true, pattern: '[A-Z0-9]+' },
    mov_title: { type: 'string', length: 100, required: true },
    mov_year: { type: 'integer', min: 1888, max: 2100 },
    mov_state: { type: 'enum', values: ['draft', 'public', 'archived'] },
    mov_secret: { type: 'string', hidden: true },
    mov_rank: { type: 'integer', readOnly: true },
    mov_origin: { type: 'string', createOnly: true },
    mov_since: { type: 'date', default: '[DATE]' },
    mov_owner: { type: 'string', default: '[LOGIN]' },
    mov_pin: { type: 'password' },
    mov_genre_id: { type: 'reference', object: 'Genre', display: ['gen_code', 'gen_name'] },
    mov_poster: { type: 'image', maxBytes: 100_000 },
  },
  states: {
    field: 'mov_state',
    transitions: [
      { from: 'draft', to: 'public' },
      { from: ['draft', 'public'], to: 'archived', groups: ['EDITOR'] },
    ],
  },
})

export const Review = defineObject({
  name: 'Review',
  fields: {
    rev_movie_id: {
      type: 'reference',
      object: 'Movie',
      display: ['mov_title', 'mov_genre_id__gen_name'],
      onDelete: 'cascade',
      required: true,
    },
    rev_text: { type: 'text' },
  },
})

export const boss = systemPrincipal({ login: 'boss', groups: ['EDITOR'] })

/** A service over the memory store at noon of 2026-05-06 UTC. */
export function createService(
  hooks: { Movie?: ObjectHooks; Review?: ObjectHooks; Genre?: ObjectHooks } = {},
  options: Partial<BusinessObjectsOptions> = {},
) {
  const definitions = ([Genre, Movie, Review] as ObjectDefinition[]).map((definition) => ({
    ...definition,
    hooks: hooks[definition.name as keyof typeof hooks] ?? {},
  }))
  const model = createModel(definitions)
  const store = createMemoryStore()
  const documents = createMemoryDocuments()
  const service = createBusinessObjects({
    model,
    store,
    documents,
    clock: () => new Date('2026-05-06T12:00:00Z'),
    ...options,
  })
  const user = (login: string, grants: readonly GrantData[], groups: readonly string[] = []) =>
    createPrincipal({ login, groups, rights: createRights(model, grants, { LOGIN: login }) })
  return { service, store, model, documents, user }
}

export async function collect(records: AsyncIterable<readonly BusinessRecord[]>): Promise<BusinessRecord[]> {
  const all: BusinessRecord[] = []
  for await (const batch of records) all.push(...batch)
  return all
}

/** Documents in a Map; `ids` are those that are there. */
function createMemoryDocuments(): DocumentStore & { readonly ids: () => string[] } {
  const contents = new Map<
    string,
    { info: { id: string; name: string; mime: string; size: number; path: string }; bytes: Uint8Array }
  >()
  let stored = 0
  return {
    ids: () => [...contents.keys()],
    async put(content, { name, mime = 'image/png', path }) {
      const bytes = content as Uint8Array
      const info = { id: `doc${++stored}`, name, mime, size: bytes.length, path }
      contents.set(info.id, { info, bytes })
      return info
    },
    info: async (id) => contents.get(id)?.info,
    read: async (id) => (await import('node:stream')).Readable.from([contents.get(id)?.bytes]),
    thumbnail: async () => new Uint8Array([1, 2, 3]),
    delete: async (id) => void contents.delete(id),
    async *list() {
      for (const id of contents.keys()) yield { id, storedAt: 0 }
    },
  }
}
