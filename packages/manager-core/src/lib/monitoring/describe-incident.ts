import { isOpen, type Fallen, type Incident } from '../domain/incident.js'
import type { DeadServer } from './database-servers.js'

/** Names that one sentence holds. */
const mostNames = 10

/** What happened, in one sentence that fits a subject. */
export function describeIncident(instances: readonly Fallen[], dead: readonly DeadServer[]): string {
  const names = instances.map(({ name }) => name)
  const [only] = instances
  const what =
    instances.length === 1 && only
      ? `"${only.name}" ${describeReason(only.reason)}`
      : `${instances.length} instances have problems (${list(names)})`
  const causes = dead.map(({ name, instances: its }) =>
    its.length === instances.length
      ? `the database server ${name} does not answer`
      : `the database server ${name} of ${its.length} of them does not answer`,
  )
  return causes.length === 0 ? what : `${what}: ${causes.join('; ')}`
}

/** How it ended. */
export function describeEnd({
  opened,
  closed,
  isWell,
}: Pick<Incident, 'opened' | 'closed'> & { readonly isWell: boolean }): string {
  const took = duration(Date.parse(closed) - Date.parse(opened))
  return isWell ? `resolved after ${took}` : `closed after ${took}, because it was stopped or deleted`
}

/** For mails: a line for each instance. */
export function linesOf({ instances }: Pick<Incident, 'instances'>): string {
  const lines = instances.map(
    (one) => `${one.name}  ${one.reason}  since ${one.opened}${isOpen(one) ? '' : `, until ${one.closed}`}`,
  )
  return lines.join('\n')
}

function describeReason(reason: string): string {
  if (reason === 'unreachable') return 'does not answer'
  if (reason === 'slow') return 'answers slowly'
  return `is unhealthy (${reason})`
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).join(', ')
  return names.length > mostNames ? `${shown} and ${names.length - mostNames} more` : shown
}

function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1) return `${Math.max(1, Math.round(ms / 1000))} s`
  const hours = Math.floor(minutes / 60)
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`
}
