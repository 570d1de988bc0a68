import { createStore } from '@steward/db-adapters'
import { createModel } from '@steward/rest-core'
import { testRestService } from '../packages/rest-koa/src/lib/testing/http-suite.js'
import { runService } from '../packages/rest-koa/src/lib/testing/running-service.js'
import { onEachDatabase, patient } from './databases.js'

onEachDatabase((fresh, name) => {
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
})
