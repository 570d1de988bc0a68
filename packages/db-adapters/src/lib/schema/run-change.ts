import { StoreError } from '@steward/rest-core/errors'
import { stepOf, type Change } from './changes.js'

/**
 * Runs one step; what the database says about it becomes a StoreError `schema` that names the step. Lost connections
 * and locks stay what they are: a retry may help.
 */
export async function runChange(change: Change, undone: boolean, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (StoreError.is(error) && error.retry) throw error
    const { description } = stepOf(change)
    const rest = undone ? 'Nothing was changed.' : 'The steps before it are done. The next sync continues from there.'
    throw new StoreError('schema', `Cannot ${description}: ${messageOf(error)} ${rest}`, { cause: error })
  }
}

function messageOf(error: unknown): string {
  const inner = StoreError.is(error) && error.cause instanceof Error ? error.cause : error
  const message = inner instanceof Error ? inner.message : String(inner)
  return /[.!?]$/.test(message) ? message : `${message}.`
}
