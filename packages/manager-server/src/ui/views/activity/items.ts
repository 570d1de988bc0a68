import type { WireHistoryEntry } from '@steward/manager-core'
import type { Operation } from '../../lib/operation.js'

/** Something that was done, or is being done. */
export interface Item {
  readonly key: string
  /** ISO 8601 */
  readonly at: string
  readonly who: string
  /** Name of the action: `token add`. */
  readonly action: string
  /** Empty: it is about the whole manager. */
  readonly instance: string
  /** As the history has it; `running`: it has not ended. */
  readonly result: WireHistoryEntry['result'] | 'running'
  readonly surface: string
  /** Where the request came from; empty: this machine. */
  readonly address: string
  readonly message: string
  /** Id of its operation; empty: it was none. */
  readonly operation: string
  /** In ms; 0: that is not known. */
  readonly duration: number
  readonly parameters: WireHistoryEntry['parameters'] | undefined
}

export function itemOfEntry(entry: WireHistoryEntry): Item {
  const { id, at, actor, action, instance, result, surface, address, message, operation, duration, parameters } = entry
  return {
    ...{ key: String(id), at, who: actor, action, instance, result, surface, address, message, operation, duration },
    parameters,
  }
}

/** The history gets an entry when it has ended. */
export function itemOfRunning({ id, started, actor, action, instance, message }: Operation): Item {
  return {
    ...{ key: id, at: started, who: actor, action, instance, message, operation: id },
    ...{ result: 'running', surface: '', address: '', duration: 0, parameters: undefined },
  }
}

/** What is looked for; empty: anything. In the address each has the name of its key. */
export interface Filters {
  readonly q: string
  readonly who: string
  readonly instance: string
  readonly result: string
  /** `cli`, `api` or `schedule`. */
  readonly from: string
}

const keys = ['q', 'who', 'instance', 'result', 'from'] as const

/** Those of an address; what it says more is left out. */
export function filtersOf(query: Readonly<Record<string, string>>): Filters {
  return Object.fromEntries(keys.map((key) => [key, (query[key] ?? '').slice(0, 200)])) as unknown as Filters
}

/** Those that all filters want. */
export function filterActivity(items: readonly Item[], filters: Filters): readonly Item[] {
  const { q, who, instance, result, from } = filters
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const isOrAny = (wanted: string, value: string) => wanted === '' || wanted.toLowerCase() === value.toLowerCase()
  return items.filter((item) => {
    const { action, address, message, operation } = item
    const text = [action, item.instance, item.who, address, message].join('\n').toLowerCase()
    return (
      isOrAny(who, item.who) &&
      isOrAny(instance, item.instance) &&
      isOrAny(result, item.result) &&
      isOrAny(from, item.surface) &&
      // Any word can be a part of an id by chance.
      words.every((word) => text.includes(word) || word === operation.toLowerCase())
    )
  })
}

/** Items of the same day, in local time. */
export function byDay(items: readonly Item[]): readonly (readonly [day: string, items: readonly Item[]])[] {
  return [...Map.groupBy(items, ({ at }) => new Date(at).toDateString())]
}
