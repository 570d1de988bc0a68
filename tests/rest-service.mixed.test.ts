/** @module-tag mixed */
import { createStore } from '@steward/db-adapters'
import { createModel } from '@steward/rest-core'
import { describe } from 'vitest'
import { testRestService } from '../packages/rest-koa/src/lib/testing/http-suite.js'
import { runService } from '../packages/rest-koa/src/lib/testing/running-service.js'
import { freshFile, onEachServer, patient, type DatabaseName } from './databases.js'
import type { FreshDatabase } from './servers/index.js'

describe('sqlite', { tags: 'core' }, () => testOver('sqlite', freshFile))
onEachServer((fresh, name) => testOver(name, fresh))

function testOver(name: DatabaseName, fresh: () => Promise<FreshDatabase>): void {
  testRestService(name, async (definitions) => {
    const database = await fresh()
    const running = await runService(createModel(definitions), await createStore(patient(database.url)))
    return {
      ...running,
      async close() {
        await running.close()
        await database.drop()
      },
    }
  })
}
