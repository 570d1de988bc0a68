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
  summary: 'Name of the instance, also of one that is gone',
} as const satisfies Parameter

export const whichBackup = {
  name: 'backup',
  type: 'text',
  summary: 'Backup, or the beginning of its name (default: the latest)',
} as const satisfies Parameter

/** Option of actions on backups that may be at a target. */
export const atTarget = {
  name: 'at',
  type: 'text',
  summary: 'Those at a target, see "target list" (default: those here)',
} as const satisfies Parameter

/** Option of actions that make an instance. */
export const runtimeOption = {
  name: 'runtime',
  type: 'runtime',
  summary: 'What runs it, see "runtimes"',
} as const satisfies Option
