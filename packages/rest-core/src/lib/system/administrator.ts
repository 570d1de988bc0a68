import { randomBytes } from 'node:crypto'
import { RestError } from '../../errors.js'
import type { BusinessRecord } from '../model/model.js'
import { createPrincipal } from '../rights/principal.js'
import type { Principal } from '../rights/rights.js'
import type { BusinessObjects } from '../service/business-objects.js'

/** The group that may do everything. Not specified; chosen as its usual name. */
export const administratorGroup = 'ADMIN'

export interface AdministratorOptions {
  /** Default `admin`. */
  readonly login?: string | undefined
  /** Default: made up. */
  readonly password?: string | undefined
}

export interface NewAdministrator {
  readonly login: string
  /** Only set when it was made up here; show it once. */
  readonly generatedPassword: string | undefined
}

/**
 * Makes an administrator and the group that may do everything, when there is no user yet.
 *
 * @returns `undefined` when there are users already.
 */
export async function createAdministrator(
  service: BusinessObjects,
  options: AdministratorOptions = {},
): Promise<NewAdministrator | undefined> {
  const { login = 'admin', password } = options
  const self = createPrincipal({ login: 'system' })
  for await (const users of await service.search(self, 'User', { page: 0, pageSize: 1 }))
    if (users.length > 0) return undefined
  const generatedPassword = password ? undefined : makePassword()
  try {
    await service.transaction(async (inside) => {
      const group = await administrators(inside, self)
      const user = await inside.create(self, 'User', { usr_login: login, usr_password: password || generatedPassword })
      await inside.create(self, 'Responsibility', { rsp_login_id: user.row_id, rsp_group_id: group.row_id })
    })
  } catch (error) {
    // Another server on the same database was first.
    if (RestError.is(error) && error.code === 'ERR_CONFLICT') return undefined
    throw error
  }
  return { login, generatedPassword }
}

/**
 * Gives a user a new password, makes it active and an administrator again; for who is locked out.
 *
 * @throws RestError ERR_NOT_FOUND when there is no such user.
 */
export async function resetAdministrator(
  service: BusinessObjects,
  options: AdministratorOptions = {},
): Promise<NewAdministrator> {
  const { login = 'admin', password } = options
  const self = createPrincipal({ login: 'system' })
  const generatedPassword = password ? undefined : makePassword()
  await service.transaction(async (inside) => {
    const user = await find(inside, self, 'User', 'usr_login', login)
    if (!user) throw RestError.notFound(`User "${login}"`)
    await inside.update(self, 'User', user.row_id, { usr_password: password || generatedPassword, usr_active: true })
    const group = await administrators(inside, self)
    const filter = {
      op: 'and',
      terms: [
        { op: '=', field: 'rsp_login_id', value: user.row_id },
        { op: '=', field: 'rsp_group_id', value: group.row_id },
      ],
    } as const
    if ((await inside.count(self, 'Responsibility', { filter })).count === 0) {
      await inside.create(self, 'Responsibility', { rsp_login_id: user.row_id, rsp_group_id: group.row_id })
    }
  })
  return { login, generatedPassword }
}

function makePassword(): string {
  return randomBytes(12).toString('base64url')
}

async function administrators(service: BusinessObjects, self: Principal): Promise<BusinessRecord> {
  const group = await find(service, self, 'Group', 'grp_name', administratorGroup)
  return group ?? service.create(self, 'Group', { grp_name: administratorGroup, grp_desc: 'May do everything' })
}

async function find(
  service: BusinessObjects,
  self: Principal,
  object: string,
  field: string,
  value: string,
): Promise<BusinessRecord | undefined> {
  const records = await service.search(self, object, { filter: { op: '=', field, value } })
  for await (const [record] of records) return record
  return undefined
}
