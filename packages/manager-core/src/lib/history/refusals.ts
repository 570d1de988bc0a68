import type { Caller } from '../domain/caller.js'
import type { Json } from '../domain/json.js'
import { writeEntry, type HistoryContext } from './write-entry.js'

export interface Refusal {
  /** Who, and from where. */
  readonly caller: Pick<Caller, 'actor' | 'surface' | 'address'>
  readonly action: string
  /** Default: none. */
  readonly instance?: { readonly id: string; readonly name: string } | undefined
  readonly parameters?: Json
  readonly reason: string
}

/** Puts refused calls into the history; an attack does not fill it. */
export interface Refusals {
  note(refusal: Refusal): void
}

/** The same caller's refusals of one action are one entry for this long. */
const onceInMs = 60_000
/** Entries in that time; more of them say nothing more. */
const most = 60

/** Records refused calls in the history, bounded: the same one once a minute, at most 60 in that time. Failures are ignored. */
export function createRefusals(context: HistoryContext): Refusals {
  const noted = new Map<string, number>()
  return {
    note({ caller, action, instance, parameters, reason }) {
      const now = context.clock().getTime()
      for (const [key, at] of noted) if (now - at >= onceInMs || at > now) noted.delete(key)
      const key = JSON.stringify([caller.actor, caller.address ?? '', action, instance?.id])
      if (noted.has(key) || noted.size >= most) return
      noted.set(key, now)
      try {
        context.registry.transaction((writer) =>
          writeEntry(writer, caller, {
            at: new Date(now).toISOString(),
            action,
            instance,
            parameters,
            result: 'refused',
            message: reason,
          }),
        )
      } catch {
        // It is refused all the same.
      }
    },
  }
}
