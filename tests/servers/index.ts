/**
 * Real database servers for tests. `npm test` starts one private PostgreSQL and one private MariaDB for the whole run;
 * the URLs are in `TEST_POSTGRESQL_URL` and `TEST_MYSQL_URL`. Set them (or `TEST_MSSQL_URL`, `TEST_ORACLE_URL`) to use
 * other servers.
 *
 * ```ts
 * needs('postgresql', (url) => {
 *   let database: FreshDatabase
 *   beforeAll(async () => { database = await freshDatabase(url) })
 *   afterAll(() => database.drop())
 *   it('creates a table', async () => { … database.url … })
 * })
 *
 * needsOwn('mysql', (start) => {
 *   let server: TestServer
 *   beforeAll(async () => { server = await start() })
 *   afterAll(() => server.close())
 *   it('recovers when the server was away', async () => { await server.stop(); …; await server.start(); … })
 * })
 * ```
 */
export { startCeph, type TestCeph } from './ceph.js'
export { execute, freshDatabase, type FreshDatabase } from './database.js'
export { dockerIsMissing, startDocker, type TestDocker } from './docker.js'
export { needsH2 } from './h2.js'
export { startKeystone, type TestKeystone } from './keystone.js'
export { startMariadb } from './mariadb.js'
export { needs, needsOwn } from './need.js'
export { startPostgresql } from './postgresql.js'
export { startRegistry, type TestRegistry } from './registry.js'
export type { ServerOptions, TestServer } from './server.js'
export { machinesAreMissing, startMachines, type TestMachines, type TestNode } from './swarm.js'
export { startSystemd, systemdIsMissing, type TestSystemd } from './systemd.js'
export { startSwift, type TestSwift } from './swift.js'
export { toolIsMissing, type Tool } from './tools.js'
export { givenVendors, type ServerName } from './variables.js'
