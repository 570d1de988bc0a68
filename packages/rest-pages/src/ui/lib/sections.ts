import { pathTo } from './settings.js'
import type { ObjectInfo } from './service.js'

/** The group whose members may do everything. */
export const administrators = 'ADMIN'

/** Parts of the administration, each with the system object that it is about. */
const objects = {
  users: 'User',
  groups: 'Group',
  webhooks: 'Webhook',
  tasks: 'BackgroundTask',
  parameters: 'SystemParam',
} as const

export type Section = keyof typeof objects

/** Those whose object the user may see. */
export function sectionsOf(known: readonly ObjectInfo[]): readonly Section[] {
  return (Object.keys(objects) as readonly Section[]).filter((section) =>
    known.some(({ name }) => name === objects[section]),
  )
}

/** No name of an object starts with `_`. */
export function pathToSection(section: Section, id?: string): string {
  return pathTo('_admin', section, ...(id === undefined ? [] : [id]))
}
