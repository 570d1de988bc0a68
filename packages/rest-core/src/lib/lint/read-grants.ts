import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, Model } from '../model/model.js'
import type { GrantData } from '../rights/create-rights.js'
import type { StoreSession } from '../store.js'
import { grantDataOf } from '../system/grant-data.js'

/** A grant, and the group that has it. */
export interface GroupGrant extends GrantData {
  readonly group: string
}

/** Who may do what in an application. */
export interface GrantedRights {
  /** Names of groups. */
  readonly groups: readonly string[]
  readonly grants: readonly GroupGrant[]
  /** The user under which calls without credentials run, and the groups it is in. */
  readonly publicUser?: { readonly login: string; readonly groups: readonly string[] }
}

/**
 * Reads who may do what from the system objects.
 *
 * @param publicUser Login of the user under which calls without credentials run. Default: there is none.
 * @throws StoreError when the tables are not there
 */
export async function readGrants(model: Model, store: StoreSession, publicUser?: string): Promise<GrantedRights> {
  const groups = await all('Group')
  const grants = await all('Grant')
  const read = {
    groups: groups.map((group) => group['grp_name'] as string),
    grants: grants.map((grant) => ({ ...grantDataOf(grant), group: grant['grt_group_id__grp_name'] as string })),
  }
  if (publicUser === undefined) return read
  const own = await all('Responsibility', { op: '=', field: 'rsp_login_id__usr_login', value: publicUser })
  const names = own.map((responsibility) => responsibility['rsp_group_id__grp_name'] as string)
  return { ...read, publicUser: { login: publicUser, groups: names } }

  async function all(name: string, where?: Filter): Promise<BusinessRecord[]> {
    const object = model.object(name)
    const records: BusinessRecord[] = []
    for await (const batch of store.search(object, { select: object.selection, where, order: object.order }))
      records.push(...batch)
    return records
  }
}
