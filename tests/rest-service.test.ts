import { createStore } from '@steward/db-adapters'
import { createBusinessObjects, createModel } from '@steward/rest-core'
import { testRestService } from '../packages/rest-koa/src/lib/testing/http-suite.js'
import { onEachDatabase } from './databases.js'

onEachDatabase((fresh, name) => {
  testRestService(name, async (definitions) => {
    const database = await fresh()
    const store = await createStore(database.url)
    const model = createModel(definitions)
    await store.sync(model)
    return {
      service: createBusinessObjects({ model, store }),
      async close() {
        await store.close()
        await database.drop()
      },
    }
  })
})
