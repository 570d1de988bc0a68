import { contractSize } from '../../../../../tests/contract-size.js'
import { testObjectStore } from '../../testing.js'
import { createMemoryStore } from './memory-store.js'

testObjectStore('memory', async () => createMemoryStore(), contractSize)
