import type { Home } from '../home.js'
import type { Settings } from './settings.js'

export interface SettingsOptions {
  readonly home: Home
  /** Variables over those of `config.sh`. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

export function createSettings(options: SettingsOptions): Settings {
  throw new Error(`Not there yet: ${options.home.config}`)
}
