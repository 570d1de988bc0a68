export { createDatabaseServer } from './lib/create-database-server.js'
export type {
  DatabaseServerLocation,
  DatabaseServerMark,
  DatabaseServerOptions,
  DatabaseServerTools,
} from './lib/server/options.js'
export { DatabaseServerError } from './lib/server/database-server.js'
export type {
  ChangedSince,
  ClientProgram,
  DatabaseAccount,
  DatabaseServer,
  DatabaseServerCapabilities,
  DatabaseServerErrorCode,
  DatabaseServerInfo,
  DatabaseExtent,
  DatabaseStatistics,
  DirectDump,
  DirectDumpOptions,
  Dump,
  DumpOptions,
  Launch,
  LaunchedProgram,
} from './lib/server/database-server.js'
export { canTie, runInto, type RunIntoOptions } from './lib/server/run-into.js'
export { copyThrough, dumpWithTool, restoreWithTool } from './lib/server/tool-dump.js'
export type { ToolDump, ToolRestore } from './lib/server/tool-dump.js'
export type { ToolCall } from './lib/server/run-tool.js'
export { refuseCommands, type DumpFilter } from './lib/server/refuse-commands.js'
export { createTail, type Tail } from './lib/server/tail.js'
export { otherMark } from './lib/server/marking.js'
