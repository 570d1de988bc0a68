export { Grant, Group, Module, Responsibility, SystemParam, systemObjects, User } from './lib/system/system-objects.js'
export { administratorGroup, createAdministrator, createUserDirectory, isDirectoryObject } from './lib/system/user-directory.js'
export type { NewAdministrator, UserDirectory, UserDirectoryOptions } from './lib/system/user-directory.js'
