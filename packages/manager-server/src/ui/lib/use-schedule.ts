import type { ScheduledJob } from '@steward/manager-core'
import { useActionTable } from './session.js'
import { useApi } from './use-api.js'

/** Flags of instances, and the job that does every night what each is for. */
const jobs = { auto_save: 'saveall', auto_update: 'upgradeall' } as const

/** Which of the nightly jobs the manager does not have on its schedule; nothing while that is not known. */
export function useUnscheduled(): ReadonlySet<keyof typeof jobs> {
  const { isAllowed } = useActionTable()
  const { data } = useApi<{ readonly list: readonly ScheduledJob[] }>(isAllowed('schedules') ? 'schedules' : undefined)
  const flags = Object.keys(jobs) as (keyof typeof jobs)[]
  return new Set(data ? flags.filter((flag) => !data.list.some(({ name }) => name === jobs[flag])) : [])
}

/** What a flag means, as it is on this server. */
export function aboutKey<Flag extends string>(flag: Flag, unscheduled: ReadonlySet<string>) {
  const isUnscheduled = unscheduled.has(flag) && (flag === 'auto_save' || flag === 'auto_update')
  return isUnscheduled ? (`instance.${flag as keyof typeof jobs}.unscheduled` as const) : (`instance.${flag}` as const)
}
