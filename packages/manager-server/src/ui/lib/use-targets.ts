import type { WireTarget } from '@steward/manager-core'
import { useActionTable } from './session.js'
import { useApi } from './use-api.js'

/** Where backups can be copied to, as far as the user may see it; undefined: not known yet. */
export function useTargets(): readonly WireTarget[] | undefined {
  const { rows, isAllowed } = useActionTable()
  const isAsked = isAllowed('target-list')
  const { data, failure } = useApi<{ readonly list: readonly WireTarget[] }>(isAsked ? 'target-list' : undefined)
  return data?.list ?? (failure !== undefined || (rows && !isAsked) ? [] : undefined)
}
