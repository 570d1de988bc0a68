import type { Parameter } from '../action.js'
import type { Input } from '../domain/input.js'

/** Parameters of actions on one backup. */
export const nameOfBackup: Parameter = {
  name: 'name',
  type: 'text',
  required: true,
  summary: 'Name of the instance, also of one that is gone',
}

export const whichBackup: Parameter = {
  name: 'backup',
  type: 'text',
  summary: 'Backup, or the beginning of its name (default: the latest)',
}

/** What {@link whichBackup} says. */
export function wantedOf(input: Readonly<Record<string, Input>>): string {
  return (input['backup'] as string | undefined) ?? 'latest'
}
