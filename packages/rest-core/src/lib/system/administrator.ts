import { randomBytes } from 'node:crypto'
import { RestError } from '../../errors.js'
import type { BusinessRecord } from '../model/model.js'
import { createPrincipal } from '../rights/principal.js'
import type { Principal } from '../rights/rights.js'
import type { BusinessObjects } from '../service/business-objects.js'

/** The group that may do everything. Not specified; chosen as its usual name. */
export const administratorGroup = 'ADMIN'

export interface NewAdministrator {
  readonly login: string
  /** Only set when it was made up here; show it once. */
  readonly generatedPassword: string | undefined
}

/**
 * Makes an administrator and the group that may do everything, when there is no user yet.
 *
 * @param password default: made up.
 * @returns `undefined` when there are users already.
 */
export async function createAdministrator(service: BusinessObjects, options: { readonly login?: string; readonly password?: string | undefined } = {}): Promise<NewAdministrator | undefined> {
  const { login = 'admin', password } = options
  const self = createPrincipal({ login: 'system' })
  if ((await service.count(self, 'User')).count > 0) return undefined
  const generatedPassword = password ? undefined : randomBytes(12).toString('base64url')
  try {
    await service.transaction(async (inside) => {
      const group = (await findGroup(inside, self)) ?? (await inside.create(self, 'Group', { grp_name: administratorGroup, grp_desc: 'May do everything' }))
      const user = await inside.create(self, 'User', { usr_login: login, usr_password: password || generatedPassword })
      await inside.create(self, 'Responsibility', { rsp_login_id: user.row_id, rsp_group_id: group.row_id })
    })
  } catch (error) {
    // Another server on the same database was first.
    if (error instanceof RestError && error.code === 'ERR_CONFLICT') return undefined
    throw error
  }
  return { login, generatedPassword }
}

async function findGroup(service: BusinessObjects, self: Principal): Promise<BusinessRecord | undefined> {
  const groups = await service.search(self, 'Group', { filter: { op: '=', field: 'grp_name', value: administratorGroup } })
  for await (const [group] of groups) return group
  return undefined
}
