import { createRequire } from 'node:module'
import type Handlebars from 'handlebars'

let loaded: typeof Handlebars | undefined

/** Handlebars is loaded when the first model has a template; at once, since templates are checked with their model. */
export function loadHandlebars(): typeof Handlebars {
  return (loaded ??= createRequire(import.meta.url)('handlebars') as typeof Handlebars)
}
