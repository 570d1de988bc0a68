import type { ManagerContext } from '../context.js'
import { formerRuntime } from '../domain/instance.js'
import { checkRuntime, chooseRuntime } from '../instances/choose-runtime.js'
import { checkElsewhere } from '../instances/elsewhere.js'
import { failureOf } from '../system/failure.js'
import type { BackedUpInstance } from './backup.js'

/**
 * What runs an instance that is created from a backup: what was asked for, else what it had, else, when that cannot be used
 * here, what a new one would have.
 *
 * @returns also what a person should know of it; null: nothing
 * @throws ManagerError as `chooseRuntime`
 */
export async function runtimeAgain(
  context: Pick<ManagerContext, 'runtimes' | 'settings'>,
  { runtime: had = formerRuntime, version, database }: Pick<BackedUpInstance, 'runtime' | 'version' | 'database'>,
  wanted: string | null,
): Promise<{ readonly runtime: string; readonly note: string | null }> {
  const fits = (runtime: string) =>
    checkElsewhere(context, runtime, { database, documents: context.settings.global.documents.address })
  if (wanted !== null) {
    const runtime = await chooseRuntime(context, { wanted, version })
    fits(runtime)
    return { runtime, note: null }
  }
  try {
    await checkRuntime(context, had)
    fits(had)
    return { runtime: had, note: null }
  } catch (error) {
    const runtime = await chooseRuntime(context, { wanted, version })
    return { runtime, note: `${failureOf(error).message} It gets "${runtime}".` }
  }
}
