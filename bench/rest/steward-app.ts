import { createBusinessObjects, createModel, systemPrincipal } from '@steward/rest-core'
import type { BusinessObjects, ObjectHooks, ObjectStore } from '@steward/rest-core'
import { createUserDirectory, isDirectoryObject, systemObjects, type UserDirectory } from '@steward/rest-core/system'
import type { Target } from './databases.ts'
import { lines, model as objects } from './model.ts'
import { credentials } from './servers.ts'

export interface StewardApp {
  readonly store: ObjectStore
  readonly service: BusinessObjects
  readonly directory: UserDirectory
}

/** Hooks as an application has them: before each get, search and write. */
const hooks: ObjectHooks = {
  preSelect: () => {},
  preSearch: () => {},
  preValidate: () => {},
  preSave: () => {},
}

function createItems(more: ObjectHooks, { indexed = false, lines: hasLines = false }: Target) {
  const all = { ...hooks, ...more }
  const indexable = indexed && ['itm_code', 'itm_name', 'itm_desc']
  return createModel([
    ...systemObjects,
    ...objects.map((object) => (object.name === 'Item' ? { ...object, indexable, hooks: all } : object)),
    ...(hasLines ? lines.map((object) => ({ ...object, hooks: all })) : []),
  ])
}

/** This project as an application uses it: users and grants come from its own tables. */
export async function openSteward(target: Target, more: ObjectHooks = {}): Promise<StewardApp> {
  const model = createItems(more, target)
  const store = await openStore(target)
  const directory = createUserDirectory({ model, store })
  const onChange = ({ object }: { object: Parameters<typeof isDirectoryObject>[0] }) => {
    if (isDirectoryObject(object)) directory.clear()
  }
  return { store, service: createBusinessObjects({ model, store, onChange }), directory }
}

/** Makes the tables of all servers, and the user whose rights Steward checks. */
export async function prepareTables(target: Target): Promise<void> {
  const { store, service } = await openSteward(target)
  try {
    await store.sync(service.model)
    const self = systemPrincipal()
    const user = { usr_login: credentials.login, usr_password: credentials.password }
    const { row_id: userId } = await service.create(self, 'User', user)
    const { row_id: groupId } = await service.create(self, 'Group', { grp_name: 'BENCH' })
    await service.create(self, 'Responsibility', { rsp_login_id: userId, rsp_group_id: groupId })
    for (const [object, rights] of [
      ['Item', 'CRU'],
      ['Category', 'R'],
    ]) {
      await service.create(self, 'Grant', { grt_group_id: groupId, grt_object: object, grt_rights: rights })
    }
  } finally {
    await store.close()
  }
}

async function openStore({ kind, url }: Target): Promise<ObjectStore> {
  switch (kind) {
    case 'sqlite':
      return (await import('@steward/db-adapters/sqlite')).createSqliteStore({ filename: url })
    case 'postgresql':
      return (await import('@steward/db-adapters/postgresql')).createPostgresqlStore({ connection: url })
    case 'mysql':
      return (await import('@steward/db-adapters/mysql')).createMysqlStore({ connection: url })
  }
}
