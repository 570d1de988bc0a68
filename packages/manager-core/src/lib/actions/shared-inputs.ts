import type { Option, Parameter } from '../action.js'

/** Parameter of actions on one instance. */
export const nameOfInstance = {
  name: 'name',
  type: 'instance',
  required: true,
  summary: 'Name of the instance',
} as const satisfies Parameter

/** Parameters of actions on one backup. */
export const nameOfBackup = {
  name: 'name',
  type: 'text',
  required: true,
  summary: 'Name of the instance, existing or deleted',
} as const satisfies Parameter

export const whichBackup = {
  name: 'backup',
  type: 'text',
  summary: 'Backup, or the prefix of its name (default: the latest)',
} as const satisfies Parameter

/** Option of actions on backups that may be at a target. */
export const atTarget = {
  name: 'at',
  type: 'text',
  summary: 'Target, see "target list" (default: local backups)',
} as const satisfies Parameter

/** Option of actions that make an instance. */
export const runtimeOption = {
  name: 'runtime',
  type: 'runtime',
  summary: 'Runtime, see "runtimes"',
} as const satisfies Option
