import pLimit from 'p-limit'
import type { ManagerContext } from '../context.js'
import { isOpen, type Incident } from '../domain/incident.js'
import type { Sample } from '../domain/sample.js'
import { callMonitoringHook } from '../hooks/monitoring-hook.js'
import { createIncidentStore, type IncidentStore } from '../store/incident-store.js'
import { deadServers } from './database-servers.js'
import { describeIncident } from './describe-incident.js'
import { judge } from './judge.js'
import { Outbox, type OutboxOptions } from './outbox.js'
import { continueStreaks, type Streak } from './streaks.js'
import { incidentChannels } from './tell-incident.js'

export interface WatchOptions {
  readonly context: ManagerContext
  /** What went wrong with the watching itself, without secrets. */
  readonly onProblem: (message: string) => void
  readonly outbox?: Pick<OutboxOptions<Incident>, 'pauses' | 'giveUpMs'>
}

/** How many hooks run at the same time. */
const hooksAtOnce = 4

/**
 * Turns checks into incidents, and notifies people of them: when one starts, after the checks that follow the first ones that
 * failed, so that what fails together is reported together; and when it is over.
 *
 * It knows its incidents itself and writes them down when it can: a full disk, which makes instances fail, keeps no one
 * from hearing of it.
 */
export class Watch {
  readonly #options: WatchOptions
  readonly #store: IncidentStore
  readonly #outbox: Outbox<Incident>
  readonly #hooks = pLimit(hooksAtOnce)
  readonly #ended = new AbortController()
  #calls: Promise<unknown>[] = []
  #streaks: ReadonlyMap<string, Streak> = new Map()
  /** By a number of this watch; an incident that could not be written down has the id 0. */
  readonly #incidents = new Map<number, Incident>()
  #lastKey = 0
  /** Those that wait for the next checks before people are notified. */
  readonly #gathering = new Set<number>()
  readonly #unsaved = new Set<number>()

  constructor(options: WatchOptions) {
    this.#options = options
    const { context, onProblem } = options
    this.#store = createIncidentStore(context.registry)
    this.#outbox = new Outbox({
      ...options.outbox,
      channels: incidentChannels(context),
      onProblem,
      onTold: ({ about, content }) => this.#isTold(about, content),
    })
    for (const incident of this.#store.unfinished()) {
      const key = this.#add(incident)
      if (incident.told === '' && isOpen(incident)) this.#gathering.add(key)
      else if (!isOpen(incident)) this.#outbox.put({ about: key, content: incident })
    }
  }

  /**
   * @param names by id, of all instances that should answer, or would when no operation was at them
   * @returns whether the next checks should come soon, because an incident waits for them
   */
  async after(samples: readonly Sample[], names: ReadonlyMap<string, string>): Promise<boolean> {
    const { context } = this.#options
    const now = context.clock().toISOString()
    this.#streaks = continueStreaks(this.#streaks, samples)
    const keys = [...this.#incidents.keys()]
    const { alertAfter } = context.settings.global.monitoring
    const before = [...this.#incidents.values()]
    const { incidents, changes, fallen } = judge({
      incidents: before,
      streaks: this.#streaks,
      names,
      now,
      after: alertAfter,
    })

    const gathered = [...this.#gathering]
    for (const [at, key] of keys.entries()) this.#change(key, incidents[at] as Incident)
    if (fallen.length > 0) {
      const open = gathered.find((key) => isOpen(this.#incidents.get(key) as Incident))
      const known = open === undefined ? undefined : this.#incidents.get(open)
      const others = known?.instances.filter((one) => !fallen.some(({ id }) => id === one.id)) ?? []
      const instances = [...others, ...fallen]
      const message = describeIncident(instances, [])
      if (open !== undefined && known) this.#change(open, { ...known, message, instances })
      else this.#gathering.add(this.#add({ id: 0, opened: now, closed: '', message, told: '', instances }, true))
    }
    for (const { name, reason } of changes) this.#callHook(name, reason)
    for (const key of gathered) await this.#announce(key)
    this.#save()
    return this.#gathering.size > 0
  }

  /** Notices that were not sent yet are left to the next watch. */
  async close(): Promise<void> {
    this.#ended.abort()
    await Promise.all([this.#outbox.close(), ...this.#calls])
    this.#save()
  }

  #add(incident: Incident, isNew = false): number {
    const key = ++this.#lastKey
    this.#incidents.set(key, incident)
    if (isNew) this.#unsaved.add(key)
    return key
  }

  /** People hear of an end when they heard of the start, or would have. */
  #change(key: number, incident: Incident): void {
    const before = this.#incidents.get(key) as Incident
    if (JSON.stringify(before) === JSON.stringify(incident)) return
    this.#incidents.set(key, incident)
    this.#unsaved.add(key)
    if (isOpen(incident) || !isOpen(before)) return
    if (this.#gathering.delete(key)) this.#incidents.set(key, { ...incident, told: 'closed' })
    else if (incident.told !== 'closed') this.#outbox.put({ about: key, content: incident })
  }

  async #announce(key: number): Promise<void> {
    const incident = this.#incidents.get(key)
    if (!incident || !this.#gathering.delete(key)) return
    const lasting = incident.instances.filter(isOpen)
    const dead = await deadServers(
      this.#options.context,
      lasting.map(({ id }) => id),
    )
    const told = { ...incident, message: describeIncident(incident.instances, dead) }
    this.#change(key, told)
    this.#outbox.put({ about: key, content: told })
  }

  #isTold(key: number, content: Incident): void {
    const incident = this.#incidents.get(key)
    if (!incident) return
    this.#incidents.set(key, { ...incident, told: isOpen(content) ? 'opened' : 'closed' })
    this.#unsaved.add(key)
    this.#save()
  }

  #callHook(name: string, reason: string): void {
    const { context, onProblem } = this.#options
    const { signal } = this.#ended
    const call = this.#hooks(async () => {
      if (signal.aborted) return
      const problem = await callMonitoringHook(context, { name, reason, signal })
      if (problem !== undefined && !signal.aborted) onProblem(`${name}: ${problem}`)
    }).finally(() => (this.#calls = this.#calls.filter((one) => one !== call)))
    this.#calls.push(call)
  }

  #save(): void {
    try {
      for (const key of this.#unsaved) {
        const incident = this.#incidents.get(key) as Incident
        if (incident.id === 0) this.#incidents.set(key, { ...incident, id: this.#store.insert(incident) })
        else this.#store.update(incident)
        this.#unsaved.delete(key)
      }
    } catch (error) {
      this.#options.onProblem(`Incidents could not be stored: ${(error as Error).message}`)
    }
    for (const [key, { told }] of this.#incidents)
      if (told === 'closed' && !this.#unsaved.has(key)) this.#incidents.delete(key)
  }
}
