import { createStore } from '@steward/page-kit'
import type { WireTarget } from '@steward/manager-core'
import { useActionTable, useSession } from './session.js'
import { useApi } from './use-api.js'

/** How often what concerns the whole manager is looked at, in ms. */
const refreshMs = 5 * 60_000

/** What keeps the manager itself from what it should do, in its words. */
export const problems = createStore<readonly string[]>([])

/** `status` without a name, as far as it is shown here. */
interface ServerStatus {
  /** Settings that cannot be used, and what is not scheduled or cannot run. Absent: the server does not look for them. */
  readonly problems?: readonly string[]
}

/** Looks for problems while a page is shown, for those who see the whole manager. */
export function useProblems(): readonly string[] {
  const { isAllowed } = useActionTable()
  const isWhole = useSession()?.instances === null
  const asked = (action: string) => (isWhole && isAllowed(action) ? action : undefined)
  const status = useApi<{ readonly item: ServerStatus }>(asked('status'), {}, { refreshMs })
  const targets = useApi<{ readonly list: readonly WireTarget[] }>(asked('target-list'), {}, { refreshMs })
  return problemsOf(status.data?.item, targets.data?.list)
}

export function problemsOf(
  status: ServerStatus = {},
  targets: readonly Pick<WireTarget, 'problem'>[] = [],
): readonly string[] {
  const ofTargets = targets.flatMap(({ problem }) => (problem === '' ? [] : [problem]))
  // The same value can be wrong for a target and for the settings.
  return [...new Set([...(status.problems ?? []), ...ofTargets])]
}
