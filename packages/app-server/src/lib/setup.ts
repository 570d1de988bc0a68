import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BusinessObjects, Principal } from '@steward/rest-core'
import { createPrincipal } from '@steward/rest-core'
import { setupParameter } from '@steward/rest-core/system'
import { importModule } from './application-modules.js'
import { SettingsError } from './settings.js'

/** What the default export of an application's set-up module is given. Everything it writes is one transaction. */
export interface SetupContext {
  readonly service: BusinessObjects
  /** May do everything. */
  readonly principal: Principal
}

export type Setup = (context: SetupContext) => Promise<void>

/**
 * Fills a new application, once: with its own data, and with the mark that this was done, or with nothing.
 *
 * @returns whether it ran now.
 */
export async function runSetup(service: BusinessObjects, folder: string, file: string): Promise<boolean> {
  const principal = createPrincipal({ login: 'system' })
  // Of one page, for which the store needs no thread.
  const filter = { op: '=', field: 'sys_code', value: setupParameter } as const
  for await (const marks of await service.search(principal, 'SystemParam', { filter, page: 0, pageSize: 1 }))
    if (marks.length > 0) return false
  const setup = await loadSetup(folder, file)
  await service.transaction(async (inside) => {
    await inside.create(principal, 'SystemParam', {
      sys_code: setupParameter,
      sys_value: file,
      sys_desc: 'The application was filled by this module.',
    })
    await setup({ service: inside, principal })
  })
  return true
}

async function loadSetup(folder: string, file: string): Promise<Setup> {
  const path = join(folder, file)
  if (!existsSync(path)) throw new SettingsError(`${path}, the "setup" of app.yaml, does not exist.`)
  const { default: setup } = (await importModule(path)) as { default?: Setup }
  if (typeof setup !== 'function') throw new SettingsError(`${path}: its default export must be a function.`)
  return setup
}
