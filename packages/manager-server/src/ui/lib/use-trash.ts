import { useActionTable } from './session.js'
import { useApi, type ApiState } from './use-api.js'

/** An entry of the trash, as `trash` answers it. */
export interface TrashItem {
  readonly entry: string
  readonly name: string
  readonly version: string
  readonly database: string
  /** What put it there: `delete`, `reset`, `restore`. */
  readonly reason: string
  /** ISO 8601 */
  readonly deleted: string
  /** ISO 8601 */
  readonly expires: string
}

/** The trash; nothing is asked for those who may not see it. */
export function useTrash(): ApiState<{ readonly list: readonly TrashItem[] }> {
  const { isAllowed } = useActionTable()
  return useApi(isAllowed('trash') ? 'trash' : undefined)
}
