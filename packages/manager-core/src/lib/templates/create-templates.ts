import type { Home } from '../home.js'
import type { Registry } from '../store/registry.js'
import type { Settings } from '../settings/settings.js'
import type { Templates } from './template-source.js'

export interface TemplatesOptions {
  readonly home: Home
  readonly settings: () => Settings
  readonly registry: () => Registry
  readonly clock: () => Date
  /** Absolute path of the template that ships with the manager, location `default`. */
  readonly defaultTemplate: string
}

export function createTemplates(options: TemplatesOptions): Templates {
  throw new Error(`Not there yet: ${options.home.templates}`)
}
