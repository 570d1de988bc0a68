import type { Home } from '../home.js'
import type { Settings } from '../settings/settings.js'
import type { Hooks } from './hooks.js'

export function createHooks(options: { readonly home: Home; readonly settings: () => Settings }): Hooks {
  throw new Error(`Not there yet: ${options.home.hooks}`)
}
