import type { ByteBudget, ByteUse, ByteUseOptions } from '@steward/rest-core'
import type { Context } from 'koa'
import { clientGone } from '../http/client-gone.js'

/** Counts what a request holds in memory, until its client has the whole answer or went away. */
export function openMemory(
  context: Context,
  budget: ByteBudget,
  user: string,
  options: Omit<ByteUseOptions, 'signal'> = {},
): ByteUse {
  const signal = clientGone(context)
  const use = budget.open(user, { ...options, signal })
  if (signal.aborted) use.release()
  else signal.addEventListener('abort', () => use.release())
  return use
}
