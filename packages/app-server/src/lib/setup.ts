import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BusinessObjects, Principal, StoreKnex } from '@steward/rest-core'
import { systemPrincipal } from '@steward/rest-core'
import { RestError, StoreError } from '@steward/rest-core/errors'
import { setupParameter } from '@steward/rest-core/system'
import { importModule } from './application-modules.js'
import { moduleProblem } from './module-problem.js'
import { SettingsError } from './settings.js'

/** What the default export of an application's set-up module is given. Everything it writes is one transaction. */
export interface SetupContext {
  readonly service: BusinessObjects
  /** As `service.knex`: its statements are part of the transaction. */
  readonly knex: StoreKnex
  /** May do everything. */
  readonly principal: Principal
}

export type Setup = (context: SetupContext) => Promise<void>

const principal = systemPrincipal()

/** Between two looks at what another server is filling, in ms. */
const pauseMs = 200

/** Another server has written the mark, or is about to. */
class MarkTaken extends Error {}

/**
 * Fills a new application, once: with its own data, and with the mark that this was done, or with nothing. Of several
 * servers that start at the same time one does it, and the others wait; when it dies before the end, another one does it.
 *
 * @returns whether it ran now.
 */
export async function runSetup(service: BusinessObjects, folder: string, file: string): Promise<boolean> {
  if (await isDone(service)) return false
  const setup = await loadSetup(folder, file)
  for (;;) {
    try {
      await service.transaction(async (inside) => {
        await mark(inside, file)
        await setup({ service: inside, knex: inside.knex, principal })
      })
      return true
    } catch (error) {
      if (!(error instanceof MarkTaken)) throw error
    }
    if (await isDone(service)) return false
    await sleep(pauseMs)
  }
}

async function isDone(service: BusinessObjects): Promise<boolean> {
  // A single page, for which the store needs no thread.
  const filter = { op: '=', field: 'sys_code', value: setupParameter } as const
  for await (const marks of await service.search(principal, 'SystemParam', { filter, page: 0, pageSize: 1 }))
    if (marks.length > 0) return true
  return false
}

/** The first thing that is written: the database lets a second server wait until the first one has ended, or makes it fail. */
async function mark(service: BusinessObjects, file: string): Promise<void> {
  try {
    await service.create(principal, 'SystemParam', {
      sys_code: setupParameter,
      sys_value: file,
      sys_desc: 'The application was filled by this module.',
    })
  } catch (error) {
    const isTaken = RestError.is(error) && StoreError.is(error.cause) && ['unique', 'busy'].includes(error.cause.code)
    throw isTaken ? new MarkTaken('Another server fills the application.', { cause: error }) : error
  }
}

/** @throws SettingsError when there is no such module, it cannot be loaded, or it exports no function. */
export async function loadSetup(folder: string, file: string): Promise<Setup> {
  const path = join(folder, file)
  if (!existsSync(path)) throw new SettingsError(`${path}, the "setup" of app.yaml, does not exist.`)
  const { default: setup } = (await importModule(path).catch(async (error: unknown) => {
    throw new SettingsError(await moduleProblem(path, error), { cause: error })
  })) as { default?: Setup }
  if (typeof setup !== 'function') throw new SettingsError(`${path}: its default export must be a function.`)
  return setup
}
