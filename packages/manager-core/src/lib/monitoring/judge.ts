import { isOpen, type Fallen, type Incident } from '../domain/incident.js'
import { describeEnd } from './describe-incident.js'
import type { Streak } from './streaks.js'

export interface Judgement {
  /** Incidents as they are now, those that are over with their `closed`. */
  readonly incidents: readonly Incident[]
  /** What people should hear of instances: reasons, `recovered` among them. */
  readonly changes: readonly { readonly id: string; readonly name: string; readonly reason: string }[]
  /** Instances that fell just now: they belong into an incident. */
  readonly fallen: readonly Fallen[]
}

export interface Evidence {
  readonly incidents: readonly Incident[]
  readonly streaks: ReadonlyMap<string, Streak>
  /** By id, of all instances that should answer, or would when no operation was at them. */
  readonly names: ReadonlyMap<string, string>
  /** ISO 8601. */
  readonly now: string
  /** Checks in a row that an instance needs to fall, and to have recovered. */
  readonly after: number
}

/**
 * Who fell, who recovered, which incidents are over. Pure. An instance that was only slow and does not answer any more falls
 * once more; one that is stopped on purpose, or deleted, leaves its incident without a word.
 */
export function judge({ incidents, streaks, names, now, after }: Evidence): Judgement {
  const changes: Judgement['changes'][number][] = []
  const fallen: Fallen[] = []
  const known = new Map(incidents.flatMap(({ instances }) => instances.filter(isOpen).map((one) => [one.id, one])))
  for (const [id, { bad, failed, reason }] of streaks) {
    const name = names.get(id) ?? id
    const before = known.get(id)
    const fell = before ? before.reason === 'slow' && failed >= after : bad >= after
    if (!fell) continue
    fallen.push({ id, name, reason, opened: now, closed: '' })
    changes.push({ id, name, reason })
  }
  const fellNow = new Set(fallen.map(({ id }) => id))
  const judged = incidents.map((incident): Incident => {
    let recovered = 0
    let left = 0
    const instances = incident.instances.map((one) => {
      if (!isOpen(one) || fellNow.has(one.id)) return isOpen(one) ? { ...one, closed: now } : one
      const streak = streaks.get(one.id)
      if ((streak?.good ?? 0) >= after) {
        recovered++
        changes.push({ id: one.id, name: one.name, reason: 'recovered' })
        return { ...one, closed: now }
      }
      if (!names.has(one.id)) {
        left++
        return { ...one, closed: now }
      }
      return streak && streak.reason !== '' && one.reason !== streak.reason ? { ...one, reason: streak.reason } : one
    })
    if (!isOpen(incident) || instances.some(isOpen)) return { ...incident, instances }
    const end = describeEnd({ opened: incident.opened, closed: now, isWell: recovered > 0 })
    // When all that was left of it fell once more, it joins another incident.
    if (recovered + left === 0) return { ...incident, instances, closed: now, told: 'closed' }
    return { ...incident, instances, closed: now, message: `${incident.message}; ${end}` }
  })
  return { incidents: judged, changes, fallen }
}
