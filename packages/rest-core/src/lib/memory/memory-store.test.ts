import { testObjectStore } from '../../testing.js'
import { createMemoryStore } from './memory-store.js'

testObjectStore('memory', async () => createMemoryStore())
