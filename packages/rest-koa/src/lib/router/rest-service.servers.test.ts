import { createMemoryStore, createModel } from '@steward/rest-core'
import { testRestService } from '../testing/http-suite.js'
import { runService } from '../testing/running-service.js'

testRestService('the memory store', (definitions) => runService(createModel(definitions), createMemoryStore()))
