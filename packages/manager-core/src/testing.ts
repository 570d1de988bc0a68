export { createTestHome } from './lib/testing/test-home.js'
