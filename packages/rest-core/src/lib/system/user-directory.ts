import { hash } from 'node:crypto'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, Model, ObjectModel } from '../model/model.js'
import { allRights, rightsOfGrants } from '../rights/create-rights.js'
import type { GrantData } from '../rights/create-rights.js'
import { createPrincipal } from '../rights/principal.js'
import type { Principal } from '../rights/rights.js'
import { verifyPasswordHash } from '../security/password.js'
import type { ObjectStore } from '../store.js'
import { administratorGroup } from './administrator.js'
import { grantDataOf } from './grant-data.js'

export interface UserDirectoryOptions {
  /** Holds the system objects. */
  readonly model: Model
  readonly store: ObjectStore
  /** How long what was read of a user serves before it is read again, in ms. Default 60,000. */
  readonly maxAgeMs?: number
  /**
   * Users who were given no password sign in with their login and an empty one; administrators never do. Default false:
   * they cannot sign in.
   */
  readonly passwordless?: boolean | undefined
}

/** Users, groups and grants as principals. */
export interface UserDirectory {
  /** The principal when login and password are right and the user is active. Takes as long for users who do not exist. */
  verifyPassword(login: string, password: string): Promise<Principal | undefined>
  /** The active user with this id (row id of `User`) as a principal. */
  principalOf(userId: string): Promise<Principal | undefined>
  /** The active user with this login as a principal, without any check: for anonymous calls under a public user. */
  principalOfLogin(login: string): Promise<Principal | undefined>
  /**
   * A text that changes with the password of the user and when the user becomes an administrator, and reveals nothing about it; `undefined` for a principal that does
   * not come from here. What was found out with another stamp, or given for it, holds no more.
   */
  securityStampOf(principal: Principal): string | undefined
  /** How many principals are kept. */
  readonly size: number
  /** Forgets what was read; call it when a system object changed. */
  clear(): void
}

const systemNames = new Set(['User', 'Group', 'Responsibility', 'Grant'])

/** Whether principals depend on this object. */
export function isDirectoryObject({ name }: ObjectModel): boolean {
  return systemNames.has(name)
}

/** Reads users and their rights from the system objects of an application. */
export function createUserDirectory({
  model,
  store,
  maxAgeMs = 60_000,
  passwordless = false,
}: UserDirectoryOptions): UserDirectory {
  const user = model.object('User')
  const responsibility = model.object('Responsibility')
  const grant = model.object('Grant')
  const userFields = user.select(user.fields.map(({ name }) => name))
  const principals = new Map<string, Kept<Principal>>()
  const userIds = new Map<string, Kept<string>>()
  const stamps = new WeakMap<Principal, string>()

  return {
    verifyPassword,
    principalOf,
    principalOfLogin,
    securityStampOf: (principal) => stamps.get(principal),
    get size() {
      return principals.size
    },
    clear() {
      principals.clear()
      userIds.clear()
    },
  }

  async function verifyPassword(login: string, password: string): Promise<Principal | undefined> {
    const record = await userByLogin(login)
    const isRight = await verifyPasswordHash(password, record?.['usr_password'] as string | undefined)
    const isOpen = passwordless && password === '' && record?.['usr_password'] === ''
    if (!(isRight || isOpen) || record?.['usr_active'] !== true) return undefined
    return principalWith(record)
  }

  /** The principal of a user whose password was right. */
  async function principalWith(record: BusinessRecord): Promise<Principal | undefined> {
    const isFrom = (found: Principal | undefined) => found && stamps.get(found) === stampOf(record, found)
    const known = await principalOf(record.row_id)
    if (isFrom(known)) return known
    // What was kept is older than this password; or the password was changed while it was checked, then it is wrong now.
    principals.delete(record.row_id)
    const principal = await principalOf(record.row_id)
    return isFrom(principal) ? principal : undefined
  }

  function principalOf(userId: string): Promise<Principal | undefined> {
    return keep(principals, userId, () => readPrincipal(userId))
  }

  async function principalOfLogin(login: string): Promise<Principal | undefined> {
    const userId = await keep(userIds, login, async () => (await userByLogin(login))?.row_id)
    return userId === undefined ? undefined : principalOf(userId)
  }

  function keep<T>(kept: Map<string, Kept<T>>, key: string, read: () => Kept<T>['value']): Kept<T>['value'] {
    const known = kept.get(key)
    if (known && known.until > Date.now()) return known.value
    const value = read()
    kept.set(key, { until: Date.now() + maxAgeMs, value })
    // Only what is there is kept: callers may ask for anything.
    value.then(
      (found) => found === undefined && kept.delete(key),
      () => kept.delete(key),
    )
    return value
  }

  async function readPrincipal(userId: string): Promise<Principal | undefined> {
    const record = await store.get(user, userId, { select: userFields })
    if (record?.['usr_active'] !== true) return undefined
    const links = await all(responsibility, { op: '=', field: 'rsp_login_id', value: userId })
    const groups = links.map((link) => link['rsp_group_id__grp_name'] as string)
    const login = record['usr_login'] as string
    const principal = createPrincipal({
      userId,
      login,
      groups,
      rights: groups.includes(administratorGroup)
        ? allRights
        : rightsOfGrants(model, await grantsOf(links), { LOGIN: login, USERID: userId }),
      firstname: record['usr_first_name'] as string,
      lastname: record['usr_last_name'] as string,
      email: record['usr_email'] as string,
      lang: record['usr_lang'] as string,
    })
    // Without a password no user is an administrator, not even one who was let in before: no stamp of the user fits.
    const isOpen = record['usr_password'] === '' && principal.rights === allRights
    stamps.set(principal, isOpen ? '' : stampOf(record, principal))
    return principal
  }

  async function grantsOf(links: readonly BusinessRecord[]): Promise<GrantData[]> {
    if (links.length === 0) return []
    const values = links.map((link) => link['rsp_group_id'] as string)
    const grants = await all(grant, { op: 'in', field: 'grt_group_id', values })
    return grants.map(grantDataOf)
  }

  async function userByLogin(login: string): Promise<BusinessRecord | undefined> {
    // No user has an empty login or one that the database could not hold.
    if (login === '' || login.length > 100 || login.includes('\0') || !login.isWellFormed()) return undefined
    const where: Filter = { op: '=', field: 'usr_login', value: login }
    for await (const [record] of store.search(user, { select: userFields, where, order: user.order, limit: 1 }))
      return record
    return undefined
  }

  async function all(object: ObjectModel, where: Filter): Promise<BusinessRecord[]> {
    const records: BusinessRecord[] = []
    for await (const batch of store.search(object, { select: object.selection, where, order: object.order }))
      records.push(...batch)
    return records
  }
}

interface Kept<T> {
  /** In ms since the Unix epoch. */
  readonly until: number
  readonly value: Promise<T | undefined>
}

/**
 * The salt in the stored hash makes it as good as keyed: passwords cannot be tried against a stamp. Becoming an
 * administrator changes it, so that what was found out before, maybe by another user, ends then.
 */
function stampOf(user: BusinessRecord, { rights }: Principal): string {
  const role = rights === allRights ? 'administrator ' : ''
  return hash('sha256', role + (user['usr_password'] as string), 'base64url').slice(0, 22)
}
