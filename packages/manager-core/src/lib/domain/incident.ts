/** Instances that fell at the same time. Dates are ISO 8601; `closed` is empty while it lasts. */
export interface Incident {
  readonly id: number
  readonly opened: string
  readonly closed: string
  /** One sentence for people. */
  readonly message: string
  /** What people were notified of: nothing yet, that it started, that it is over. */
  readonly told: '' | 'opened' | 'closed'
  readonly instances: readonly Fallen[]
}

/** An instance of an incident. */
export interface Fallen {
  readonly id: string
  /** Its name at that time. */
  readonly name: string
  /** See docs/spec/wire-decisions.md, "monitoring reasons"; the last one. */
  readonly reason: string
  readonly opened: string
  readonly closed: string
}

/** An incident as `incidents` answers it, with the instances that the caller may see. */
export type WireIncident = Pick<Incident, 'id' | 'opened' | 'closed' | 'message'> & {
  readonly instances: readonly Omit<Fallen, 'id'>[]
}

export function isOpen({ closed }: Pick<Fallen, 'closed'>): boolean {
  return closed === ''
}
