import type { TrashItem } from '@steward/manager-core'
import { useActionTable } from './session.js'
import { useApi, type ApiState } from './use-api.js'

/**
 * The trash; nothing is asked for those who may not see it.
 *
 * @param measure with sizes, which takes longer
 */
export function useTrash(measure = false): ApiState<{ readonly list: readonly TrashItem[] }> {
  const { isAllowed } = useActionTable()
  return useApi(isAllowed('trash') ? 'trash' : undefined, measure ? { measure } : {})
}
