import type { Settings } from '../settings/settings.js'
import type { Databases } from './databases.js'

export function createDatabases(_options: { readonly settings: () => Settings }): Databases {
  throw new Error('Not there yet')
}
