import type { Settings } from '../settings/settings.js'
import type { Backups } from './backup.js'

export function createBackups(_options: { readonly settings: () => Settings }): Backups {
  throw new Error('Not there yet')
}
