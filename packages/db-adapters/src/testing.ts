/** The contract of `DatabaseServer` as tests for vitest. */
export { testDatabaseServer } from './lib/server/contract-suite.js'
export type { ServerUnderTest, TestConnection } from './lib/server/contract-suite.js'
