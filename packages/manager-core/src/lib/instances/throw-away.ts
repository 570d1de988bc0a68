import { accountAt } from '../accounts/account.js'
import { endAllOf } from '../accounts/end-all-of.js'
import { removeHome } from '../accounts/remove-tree.js'
import type { Step } from '../context.js'
import type { DatabaseType } from '../domain/instance.js'
import { fileError } from '../files/file-error.js'
import { accountNameOf, removeAccountStep } from './account-step.js'
import type { NewInstance } from './creation.js'
import { dropDatabaseStep } from './database-step.js'
import { undefineStep } from './define-step.js'
import { stopStep } from './runtime-steps.js'

export interface ThrowAway {
  readonly row: Pick<NewInstance, 'id' | 'name' | 'database'>
  /** Its home. */
  readonly folder: string
  /** Name and user of its database. */
  readonly names: { readonly name: string; readonly user: string }
  /** It has the account that `accountStep` made. */
  readonly isolated: boolean
  /** It was only laid out, and no runtime knows it. Default: it was defined. */
  readonly isUndefined?: boolean
}

/**
 * The row of an instance that is only there while something is tried, see `isThrowAway`: no surface shows it, it is not
 * monitored, saved, upgraded or published.
 *
 * @param like what it is a copy of
 * @param source `prove:<key>`, `rehearse:<name>`
 */
export function throwAwayRow(
  like: Omit<NewInstance, 'id' | 'name' | 'source' | 'created' | 'proved' | 'installedVersion' | 'heldRevision'>,
  { id, source, created }: Pick<NewInstance, 'id' | 'source' | 'created'>,
): NewInstance {
  return {
    ...like,
    id,
    // With its hyphen it cannot be chosen.
    name: `${source.slice(0, source.indexOf(':'))}-${id}`,
    source,
    desired: 'stopped',
    protected: false,
    autoSave: false,
    autoUpdate: false,
    customUrl: '',
    proved: '',
    installedVersion: '',
    heldRevision: '',
    created,
  }
}

/** From the first of them on all of it goes, whichever command does it. */
export function removeThrowAwaySteps(
  { row, folder, names, isolated, isUndefined = false }: ThrowAway,
  others: readonly string[] = [],
): readonly Step[] {
  const { id, name, database } = row
  const ended: readonly Step[] = [
    { ...stopStep({ instance: { id, name }, folder, force: true }), pointOfNoReturn: true },
    undefineStep({ row, folder }),
  ]
  return [
    ...(isUndefined ? [] : ended),
    ...databaseSteps(database, names),
    removeFoldersStep(folder, others),
    ...(isolated ? [removeAccountStep(accountNameOf)] : []),
  ]
}

function databaseSteps(database: DatabaseType, names: ThrowAway['names']): readonly Step[] {
  // The embedded one goes with the folder.
  return database === 'sqlite' ? [] : [dropDatabaseStep('drop', database, names)]
}

function removeFoldersStep(home: string, others: readonly string[]): Step {
  return {
    id: 'remove',
    title: 'Remove its folder',
    pointOfNoReturn: true,
    async do() {
      await endAllOf(accountAt(home))
      for (const folder of [home, ...others])
        try {
          await removeHome(folder)
        } catch (error) {
          throw fileError(error, `Cannot remove ${folder}`)
        }
    },
    check: () => 'not-done',
  }
}
