import { randomBytes } from 'node:crypto'
import { RestError } from '../../errors.js'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord } from '../model/model.js'
import { systemPrincipal } from '../rights/principal.js'
import type { BusinessObjects } from '../service/business-objects.js'

/** The group that may do everything. Not specified; chosen as its usual name. */
export const administratorGroup = 'ADMIN'

export interface AdministratorOptions {
  /** Default `admin`. */
  readonly login?: string | undefined
  /** Default: generated. */
  readonly password?: string | undefined
}

export interface CreateAdministratorOptions extends AdministratorOptions {
  /** The set-up of the application has just run: a user that it made is changed when it is asked for. Default false. */
  readonly fresh?: boolean
}

export interface NewAdministrator {
  readonly login: string
  /** Only set when it was generated here; show it once. */
  readonly generatedPassword: string | undefined
}

export interface ResetAdministrator extends NewAdministrator {
  /** There was no such user. */
  readonly isNew: boolean
}

const self = systemPrincipal()

/**
 * Creates an administrator, and the group that may do everything: when no active user is in that group, and when `login` or
 * `password` ask for a user that is not there. A user that is there is changed only when it is asked for and no user is
 * an administrator, or the application is `fresh`.
 *
 * @returns `undefined` when nothing was changed; {@link findAdministrator} returns whether there is an administrator.
 */
export async function createAdministrator(
  service: BusinessObjects,
  { fresh = false, ...options }: CreateAdministratorOptions = {},
): Promise<NewAdministrator | undefined> {
  const { login = 'admin', password } = options
  const isAsked = options.login !== undefined || Boolean(password)
  const logins = await activeAdministrators(service)
  if (logins.length > 0 && !isAsked) return undefined
  const isThere = (await find(service, 'User', 'usr_login', login)) !== undefined
  if (isThere) {
    const givesWay = fresh ? Boolean(password) || !logins.includes(login) : logins.length === 0
    if (!isAsked || !givesWay) return undefined
  }
  try {
    const made = await makeAdministrator(service, options, isThere)
    return made && { login, generatedPassword: made.generatedPassword }
  } catch (error) {
    // Another server on the same database was first.
    if (RestError.is(error) && error.code === 'ERR_CONFLICT') return undefined
    throw error
  }
}

/** Gives a user a new password, makes it active and an administrator; makes the user where there is none. */
export async function resetAdministrator(
  service: BusinessObjects,
  options: AdministratorOptions = {},
): Promise<ResetAdministrator> {
  return (await makeAdministrator(service, options, true)) as ResetAdministrator
}

/** @returns `undefined` when there is such a user, and it may not be changed. */
async function makeAdministrator(
  service: BusinessObjects,
  { login = 'admin', password }: AdministratorOptions,
  mayChange: boolean,
): Promise<ResetAdministrator | undefined> {
  const generatedPassword = password ? undefined : randomBytes(12).toString('base64url')
  const values = { usr_password: password || generatedPassword, usr_active: true }
  const work = async (inside: BusinessObjects) => {
    // Not inside: that would start the transaction before the password is hashed, and keep others from writing.
    const known = await find(service, 'User', 'usr_login', login)
    if (known && !mayChange) return undefined
    const user = known
      ? await inside.update(self, 'User', known.row_id, values)
      : await inside.create(self, 'User', { usr_login: login, ...values })
    const group =
      (await find(inside, 'Group', 'grp_name', administratorGroup)) ??
      (await inside.create(self, 'Group', { grp_name: administratorGroup, grp_desc: 'May do everything' }))
    const link = { rsp_login_id: user.row_id, rsp_group_id: group.row_id }
    const terms = Object.entries(link).map(([field, value]) => ({ op: '=' as const, field, value }))
    const { count } = await inside.count(self, 'Responsibility', { filter: { op: 'and', terms } })
    if (count === 0) await inside.create(self, 'Responsibility', link)
    return { login, generatedPassword, isNew: known === undefined }
  }
  return service.transaction(work, { repeat: true })
}

/**
 * Login of an active administrator.
 *
 * @param preferred given when it is one.
 */
export async function findAdministrator(service: BusinessObjects, preferred = 'admin'): Promise<string | undefined> {
  const logins = await activeAdministrators(service)
  return logins.includes(preferred) ? preferred : logins[0]
}

async function activeAdministrators(service: BusinessObjects): Promise<string[]> {
  const links = await all(service, 'Responsibility', {
    op: '=',
    field: 'rsp_group_id__grp_name',
    value: administratorGroup,
  })
  if (links.length === 0) return []
  const values = links.map((link) => link['rsp_login_id'] as string)
  const users = await all(service, 'User', { op: 'in', field: 'row_id', values })
  return users.filter((user) => user['usr_active'] === true).map((user) => user['usr_login'] as string)
}

async function all(service: BusinessObjects, object: string, filter: Filter): Promise<BusinessRecord[]> {
  const records: BusinessRecord[] = []
  // A single page, for which the store needs no thread; no installation has that many administrators.
  for await (const batch of await service.search(self, object, { filter, page: 0, pageSize: 1000 }))
    records.push(...batch)
  return records
}

async function find(
  service: BusinessObjects,
  object: string,
  field: string,
  value: string,
): Promise<BusinessRecord | undefined> {
  const [record] = await all(service, object, { op: '=', field, value })
  return record
}
