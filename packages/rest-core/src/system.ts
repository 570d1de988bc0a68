export { AuditEntry, Event, Lease } from './lib/system/change-objects.js'
export { createRevokedTokens } from './lib/system/revoked-tokens.js'
export type { RevokedTokensOptions } from './lib/system/revoked-tokens.js'
export {
  Grant,
  Group,
  Module,
  Responsibility,
  RevokedToken,
  SystemParam,
  systemObjects,
  User,
} from './lib/system/system-objects.js'
export { administratorGroup, createAdministrator, resetAdministrator } from './lib/system/administrator.js'
export type { AdministratorOptions, NewAdministrator } from './lib/system/administrator.js'
export { createUserDirectory, isDirectoryObject } from './lib/system/user-directory.js'
export type { UserDirectory, UserDirectoryOptions } from './lib/system/user-directory.js'
export { createSystemParameters } from './lib/system/system-parameters.js'
export type { SystemParameters, SystemParametersOptions } from './lib/system/system-parameters.js'
