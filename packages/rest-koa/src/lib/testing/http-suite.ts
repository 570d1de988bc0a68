import Koa from 'koa'
import { createPrincipal, systemPrincipal } from '@steward/rest-core'
import type { Principal, RightLetter } from '@steward/rest-core'
import { afterAll, beforeAll, describe } from 'vitest'
import { createAuthentication } from '../auth/authentication.js'
import { restRouter } from '../router/rest-router.js'
import { createCaller } from './caller.js'
import { checkDocumented } from './documented.js'
import { suiteObjects } from './objects.js'
import type { RunningService, StartService } from './running-service.js'
import { serve } from './serve.js'
import type { Suite } from './suite.js'
import { testActions } from './suite-actions.js'
import { testAudit } from './suite-audit.js'
import { testBadInput } from './suite-bad-input.js'
import { testBatches } from './suite-batches.js'
import { testCompositeKeys } from './suite-composite-keys.js'
import { testConnections } from './suite-connections.js'
import { testCursors } from './suite-cursors.js'
import { testDocuments } from './suite-documents.js'
import { testEvents } from './suite-events.js'
import { testIdempotency } from './suite-idempotency.js'
import { testIndexSearch } from './suite-index-search.js'
import { testKeys } from './suite-keys.js'
import { testMetadata } from './suite-metadata.js'
import { testCrosstabs } from './suite-crosstabs.js'
import { testPublications } from './suite-publications.js'
import { testRecords } from './suite-records.js'
import { testSearches } from './suite-searches.js'
import { testUsers } from './suite-users.js'

/**
 * Tests the REST service over HTTP: the same for every store, since answers must not depend on it.
 *
 * Users: `ann` (everything), `rob` (only reads movies), `nil` (nothing); passwords as their names.
 */
export function testRestService(name: string, startService: StartService): void {
  const groups = {
    records: testRecords,
    searches: testSearches,
    'bad input': testBadInput,
    connections: testConnections,
    actions: testActions,
    publications: testPublications,
    cursors: testCursors,
    keys: testKeys,
    'batches and dry runs': testBatches,
    'idempotency keys': testIdempotency,
    documents: testDocuments,
    'pivot tables': testCrosstabs,
    'metadata and documentation': testMetadata,
  }
  describe(`REST service over ${name}`, () => {
    for (const [group, define] of Object.entries(groups)) {
      describe(group, isCore(group) ? { tags: 'core' } : {}, () => {
        const suite = {} as { -readonly [K in keyof Suite]: Suite[K] }
        let running: RunningService
        beforeAll(async () => {
          running = await startService(suiteObjects)
          const app = new Koa()
          app.silent = true
          app.use(
            restRouter(running.service, {
              authenticate: createAuthentication({ authenticator: users }).authenticate,
            }).routes(),
          )
          suite.server = await serve(app, { maxHeaderSize: 262_144 })
          const base = `${suite.server.url}/api/rest`
          suite.call = createCaller(base, 'ann', checkDocumented(base))
          Object.assign(suite, running)
          suite.ann = principals.ann
        })
        afterAll(async () => {
          await suite.server?.close()
          await running?.close()
        })
        define(suite)
      })
    }
    describe('keys of several fields', () => testCompositeKeys(startService))
    describe('audit trail', () => testAudit(startService))
    describe('events', () => testEvents(startService))
    describe('index search', () => testIndexSearch(startService))
    describe('users', () => testUsers(startService))
  })
}

/** What shows that a database answers as the others do; each of its corners takes longer. */
function isCore(group: string): boolean {
  return ['records', 'searches', 'keys', 'batches and dry runs'].includes(group)
}

const readMovies: ReadonlyMap<RightLetter, undefined> = new Map([['R', undefined]])

const principals = {
  ann: systemPrincipal({ login: 'ann', userId: '1', groups: ['ADMIN'], firstname: 'Ann', lang: 'en' }),
  rob: createPrincipal({
    login: 'rob',
    userId: '2',
    rights: {
      object: (name) => (name === 'Movie' ? { letters: readMovies, hidden: new Set(['mov_gross']) } : undefined),
    },
  }),
  nil: createPrincipal({ login: 'nil', userId: '3', rights: { object: () => undefined } }),
}

const users = {
  async verifyPassword(login: string, password: string): Promise<Principal | undefined> {
    return login === password && Object.hasOwn(principals, login)
      ? principals[login as keyof typeof principals]
      : undefined
  },
  async principalOf(userId: string): Promise<Principal | undefined> {
    return Object.values(principals).find((principal) => principal.userId === userId)
  },
}
