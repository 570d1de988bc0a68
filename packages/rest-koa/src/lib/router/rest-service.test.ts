import { createBusinessObjects, createMemoryStore, createModel } from '@steward/rest-core'
import { testRestService } from '../testing/http-suite.js'

testRestService('the memory store', async (definitions) => {
  const model = createModel(definitions)
  const store = createMemoryStore()
  await store.sync(model)
  return { service: createBusinessObjects({ model, store }), close: () => store.close() }
})
