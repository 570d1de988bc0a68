import { useMemo } from 'preact/hooks'
import type { Operation } from './operation.js'
import { useActionTable } from './session.js'
import { useApi } from './use-api.js'

/** Operations whose warnings are asked for. */
const most = 100

/** Ids of the latest operations that ended with warnings: what they were for was done, and something beside it failed. */
export function useWarned(instance?: string): ReadonlySet<string> {
  const { isAllowed } = useActionTable()
  const { data } = useApi<{ readonly list: readonly Operation[] }>(
    isAllowed('operations') ? 'operations' : undefined,
    { limit: most, ...(instance !== undefined && { instance }) },
    { refreshMs: 30_000 },
  )
  return useMemo(
    () => new Set((data?.list ?? []).filter(({ warnings }) => warnings.length > 0).map(({ id }) => id)),
    [data],
  )
}
