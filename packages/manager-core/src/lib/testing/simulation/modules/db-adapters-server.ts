// Stands in for `@steward/db-adapters/server`: all of it, with the server of the simulated machine.
export * from '@steward/db-adapters/server'
export { simulatedDatabaseServer as createDatabaseServer } from '../database-server.js'
