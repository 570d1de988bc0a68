import { fileURLToPath } from 'node:url'
import { ManagerError } from '../../../errors.js'
import { wireKeys } from '../wire-instance.js'
import { checkClause } from './check-clause.js'
import type { FilterTask } from './filter.worker.js'
import { allowedFunctions, filterSql, readableTables, viewsSql } from './views.js'

const script = new URL(import.meta.url.endsWith('.ts') ? './filter.worker.ts' : './filter.worker.js', import.meta.url)

export interface SqlFilterOptions extends Pick<FilterTask, 'file' | 'fresh'> {
  /** A condition on `i`, `v` and `r`. */
  readonly where: string
  /** In ms. Not specified; chosen: 5 s. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Ids of the instances for which a where clause holds. It runs in a process of its own that reads the registry only,
 * sees the views `i`, `v` and `r` only, and is killed when it takes too long.
 *
 * @throws ManagerError ERR_USAGE when it is not such a clause, ERR_FAILED when it takes too long
 */
export async function filterBySql(options: SqlFilterOptions): Promise<ReadonlySet<string>> {
  const { file, where, fresh, timeoutMs = 5_000, signal } = options
  checkClause(where)
  const [tables, functions] = [readableTables, allowedFunctions]
  const task: FilterTask = { file, fresh, views: viewsSql, sql: filterSql(where), tables, functions }
  const { execa } = await import('execa')
  const { stdout, timedOut, failed, message } = await execa(process.execPath, [fileURLToPath(script)], {
    input: JSON.stringify(task),
    env: { NODE_NO_WARNINGS: '1', NODE_OPTIONS: '' },
    stderr: 'ignore',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    cancelSignal: signal,
    reject: false,
  })
  if (timedOut)
    throw new ManagerError('ERR_FAILED', `The filter took longer than ${timeoutMs / 1000} s and was stopped.`)
  if (failed) throw new ManagerError('ERR_FAILED', `The filter ended unexpectedly: ${message}`)
  const answer = JSON.parse(stdout) as readonly string[] | { readonly error: string }
  if ('error' in answer)
    throw new ManagerError('ERR_USAGE', `The filter is invalid: ${answer.error}.`, {
      help: `Columns of i: ${wireKeys.join(', ')}; v has version, title and date; r has name, version, email and status.`,
    })
  return new Set(answer)
}
