import type { AppDefinition } from './app-definition.js'

/** Whether an application has pages for records. They need cursors and OpenAPI, which came with level 4.0. */
export function hasPages({ pages = true, level = '5.1' }: Pick<AppDefinition, 'pages' | 'level'>): boolean {
  return pages !== false && pages !== 'no' && Number(level) >= 4
}
