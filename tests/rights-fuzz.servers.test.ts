import { createStore } from '@steward/db-adapters'
import { createMemoryStore, createModel } from '@steward/rest-core'
import type { Model, ObjectStore } from '@steward/rest-core'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { freshFile, patient } from './databases.js'
import { freshDatabase, needs } from './servers/index.js'
import { sendAll, serveFuzzed } from './fuzz/fuzzed-service.js'
import { canary, canaryDigits, createBob, fillGuarded, guardedObjects } from './fuzz/guarded-objects.js'
import { requestsOf } from './fuzz/openapi-requests.js'
import type { OpenApiRequest } from './fuzz/openapi-requests.js'

const seed = fc.readConfigureGlobal().seed ?? 0
const most = process.env['TEST_DEEP'] === '1' ? 20_000 : 1000

/** The requests know every object and field, as the administrator's documentation names them; bob sends them. */
function testRights(
  name: string,
  count: number,
  open: (model: Model) => Promise<{ store: ObjectStore; drop(): Promise<void> }>,
) {
  describe(`requests of a user with few rights, over ${name}`, () => {
    it(
      `${count} requests (seed ${seed}): no answer holds what the user may not read`,
      { timeout: 400_000 },
      async () => {
        const model = createModel(guardedObjects)
        const { store, drop } = await open(model)
        const fuzzed = await serveFuzzed(model, store, createBob(model), fillGuarded)
        try {
          const { document, failures } = fuzzed
          const requests = requestsOf(document, count, seed).map(withKnownIds).map(withPaths)
          expect(requests.length).toBeGreaterThanOrEqual(count)
          const { problems, statuses } = await sendAll(fuzzed, requests, (_request, { status, headers, text }) => {
            const shown = `${[...headers].join('\n')}\n${text}`.toLowerCase()
            const leaks = shown.includes(canary) || shown.includes(canaryDigits)
            return leaks || status >= 500 ? [`${status} ${shown}`] : []
          })
          expect(problems).toEqual([])
          expect(failures).toEqual([])
          expect(statuses.get(200)).toBeGreaterThan(count / 10)
        } finally {
          await fuzzed.close()
          await drop()
        }
      },
    )
  })
}

/** Random texts are never the id of a record: half of the references get one that may be. */
function withKnownIds(request: OpenApiRequest, place: number): OpenApiRequest {
  if (place % 2 === 0 || typeof request.body !== 'string') return request
  const body = request.body.replaceAll(/("\w+_id":)(?:"(?:[^"\\]|\\.)*"|null)/g, `$1"${(place % 18) + 1}"`)
  return { ...request, body }
}

/** Fields reached through references, most of them forbidden, that no description lists. */
const paths = [
  'not_author_id__per_code',
  'not_author_id__per_team_id__tea_code',
  'not_person_id__per_code',
  'not_person_id__per_open',
  'not_person_id__per_salary',
  'not_person_id__per_team_id__tea_budget',
  'not_person_id__per_vault_id',
  'not_person_id__per_vault_id__vau_code',
]

/** Every third search or get asks for such a field, or by it. */
function withPaths(request: OpenApiRequest, place: number): OpenApiRequest {
  const [, object] = /^\/(Note|Reply)(?:$|[/?])/.exec(request.path) ?? []
  if (!object || place % 3 > 0 || request.method !== 'GET') return request
  const path = `${object === 'Reply' ? 'rep_note_id__' : ''}${paths[place % paths.length] ?? ''}`
  const asked = place % 2 === 0 ? `_fields=${path}` : `_filter=${path}%20is%20not%20null&_fields=${path}&_order=${path}`
  return { ...request, path: `/${object}${place % 5 === 0 ? `/{row_id}?_fields=${path}` : `?${asked}`}` }
}

testRights('the memory store', most, async () => ({ store: createMemoryStore(), drop: async () => {} }))

testRights('SQLite', most, async () => {
  const database = await freshFile()
  return { store: await createStore(patient(database.url)), drop: database.drop }
})

for (const name of ['mssql', 'oracle'] as const)
  needs(name, (url) =>
    testRights(name, most, async () => {
      const database = await freshDatabase(url)
      return { store: await createStore(patient(database.url)), drop: database.drop }
    }),
  )
