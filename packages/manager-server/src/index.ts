export { createManagerServer } from './lib/create-manager-server.js'
export type { ManagerServer, ManagerServerOptions } from './lib/create-manager-server.js'
