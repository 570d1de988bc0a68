import type { WireHealth } from '@steward/manager-core'
import { isRunning, type Instance } from './instance.js'
import { useActionTable } from './session.js'
import { useApi } from './use-api.js'

/** What a running instance reports about itself now; undefined: it does not run, or nothing is known yet. */
export function useHealth(item: Instance | undefined): WireHealth | undefined {
  const { isAllowed } = useActionTable()
  const isAsked = item !== undefined && isRunning(item) && isAllowed('health')
  const { data } = useApi<{ readonly health: WireHealth }>(
    isAsked ? 'health' : undefined,
    { name: item?.name },
    { refreshMs: 10_000 },
  )
  return isAsked ? data?.health : undefined
}

/** A value that an instance reports; undefined: it does not report it. */
export function saidIn(health: WireHealth | undefined, section: string, name: string): string | undefined {
  const values = health?.[section] as Readonly<Record<string, string | number>> | null | undefined
  const value = typeof values === 'object' ? values?.[name] : undefined
  return value === undefined ? undefined : String(value)
}
