import { ManagerError } from '../../errors.js'
import { getsAccount } from '../accounts/why-not.js'
import type { ManagerContext } from '../context.js'
import type { DatabaseType } from '../domain/instance.js'

/** Whether a new instance gets an account of its own: not where other machines run it, which do not have it. */
export function needsAccount(
  context: Pick<ManagerContext, 'runtimes'> & Parameters<typeof getsAccount>[0],
  runtime: string,
): boolean {
  return !runsElsewhere(context, runtime) && getsAccount(context)
}

/** Whether a runtime runs instances on other machines, too. */
export function runsElsewhere({ runtimes }: Pick<ManagerContext, 'runtimes'>, runtime: string): boolean {
  return runtimes.names.includes(runtime) && runtimes.named(runtime).capabilities.elsewhere === true
}

/**
 * That nothing an instance needs is on this machine only, where its runtime runs it on others, too.
 *
 * @param documents its bucket; undefined: they are in its folder
 * @throws ManagerError ERR_STATE
 */
export function checkElsewhere(
  context: Pick<ManagerContext, 'runtimes'>,
  runtime: string,
  { database, documents }: { readonly database: DatabaseType; readonly documents: string | undefined },
): void {
  if (!runsElsewhere(context, runtime)) return
  if (database === 'sqlite')
    throw new ManagerError(
      'ERR_STATE',
      `The runtime "${runtime}" needs a database server, not SQLite: any of its machines may run the instance.`,
      {
        help: 'Use PostgreSQL, MySQL or another database server that all of them reach.',
      },
    )
  if (documents === undefined)
    throw new ManagerError(
      'ERR_STATE',
      `The runtime "${runtime}" needs a bucket for documents: any of its machines may run the instance.`,
      {
        help: 'Set APPS_DOCUMENTS in config.sh for new instances. "manager documents" moves those of an existing one.',
      },
    )
}
