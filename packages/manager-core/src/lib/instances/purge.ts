import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import { accountAt, accountFile } from '../accounts/account.js'
import { endAllOf } from '../accounts/end-all-of.js'
import { findAccount } from '../accounts/find-account.js'
import { removeHome, removeTree } from '../accounts/remove-tree.js'
import type { ManagerContext, OperationKind, Plan } from '../context.js'
import { requireOwnDatabase } from '../databases/home-mark.js'
import type { Caller } from '../domain/caller.js'
import type { DatabaseType } from '../domain/instance.js'
import { believedTime } from '../history/believed-time.js'
import { fileError } from '../files/file-error.js'
import { ofSeveral } from '../operation/of-several.js'
import { accountNameAt, accountsInUse, removeAccountStep } from './account-step.js'
import { dropDatabaseStep, reachDatabaseServer } from './database-step.js'
import { listTrash, readEntry, trashFile } from './trash.js'

export type PurgeRequest = { readonly entry: string }

type PurgeFacts = {
  readonly folder: string
  readonly name: string
  readonly database: DatabaseType
  /** Name of its system account; empty: it has none, or not for itself. */
  readonly account: string
  /** Names of the database and its user. */
  readonly names: { readonly name: string; readonly user: string }
}

/** Removes what is in the trash for good: its database and user, then its folder. Either may be gone already. */
export const purgeKind: OperationKind<PurgeRequest, PurgeFacts> = {
  kind: 'purge',
  frees: true,
  async withoutJournal({ entry }, { home }) {
    const folder = join(home.trash, entry)
    const isSqlite = (await readEntry(home, entry))?.instance.database === 'sqlite'
    const names = (await readdir(folder)).filter((name) => name !== trashFile && name !== accountFile)
    for (const name of names) await removeTree(join(folder, name), accountAt(folder))
    if (isSqlite) await removeHome(folder)
    const rest = isSqlite ? 'which is in no history' : 'its database is not: purge it again'
    return `The disk was full: the files of "${entry}" are removed, ${rest}.`
  },
  locks: ({ entry }) => [`trash:${entry}`],
  async inspect({ entry }, context) {
    const found = await readEntry(context.home, entry)
    if (!found) throw new ManagerError('ERR_NOT_FOUND', `"${entry}" is not in the trash.`, { command: 'trash' })
    const { name, database } = found.instance
    if (found.database.name !== '') {
      await reachDatabaseServer(context, database)
      await requireOwnDatabase(context, database, found.database)
    }
    const folder = join(context.home.trash, entry)
    const account = accountNameAt(folder)
    const isShared = account !== '' && (await accountsInUse(context.home, found.instance.id, folder)).includes(account)
    return { folder, name, database, account: isShared ? '' : account, names: found.database }
  },
  plan: planPurge,
}

function planPurge({ entry }: PurgeRequest, { folder, name, database, account, names }: PurgeFacts): Plan {
  return {
    title: `Delete "${entry}" in the trash permanently`,
    // Its id may belong to a living one: that was reset.
    instance: { id: '', name },
    steps: [
      // The embedded one goes with the folder, and what was left half-done may have none.
      ...(database === 'sqlite' || names.name === '' ? [] : [dropDatabaseStep('database', database, names)]),
      {
        id: 'folder',
        title: 'Remove its folder',
        pointOfNoReturn: true,
        async do() {
          try {
            await endAllOf(findAccount(account))
            await removeHome(folder)
          } catch (error) {
            throw fileError(error, `Cannot remove ${folder}`)
          }
        },
        check: () => (existsSync(folder) ? 'not-done' : 'done'),
      },
      ...(account === '' ? [] : [removeAccountStep(() => account)]),
    ],
    notes: ['This cannot be undone.'],
  }
}

/** Purges what has been long enough in the trash. @returns what could not be purged, in a sentence each. */
export async function purgeExpired(context: ManagerContext, caller: Caller): Promise<readonly string[]> {
  const now = believedTime(context).toISOString()
  const failures: string[] = []
  for (const { entry, expires } of await listTrash(context.home)) {
    if (expires > now) continue
    try {
      await context.operations.run(purgeKind, { entry }, ofSeveral(caller))
    } catch (error) {
      if (!ManagerError.is(error)) throw error
      // Another command is at it.
      if (error.code !== 'ERR_BUSY' && error.code !== 'ERR_NOT_FOUND')
        failures.push(`${entry} stays in the trash: ${error.message}`)
    }
  }
  return failures
}
