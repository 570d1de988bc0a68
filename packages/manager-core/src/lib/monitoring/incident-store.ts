import type { Registry } from '../store/registry.js'

/** Instances that fell at the same time. Dates are ISO 8601; `closed` is empty while it lasts. */
export interface Incident {
  readonly id: number
  readonly opened: string
  readonly closed: string
  readonly message: string
  readonly instances: readonly IncidentInstance[]
}

export interface IncidentInstance {
  readonly id: string
  /** Its name at that time. */
  readonly name: string
  readonly reason: string
  readonly opened: string
  readonly closed: string
}

/** Incidents in the registry. */
export interface IncidentStore {
  /** Newest first. */
  list(filter?: { readonly limit?: number; readonly onlyOpen?: boolean }): readonly Incident[]
}

export function createIncidentStore({ database }: Registry): IncidentStore {
  return {
    list({ limit = 100, onlyOpen = false } = {}) {
      const where = onlyOpen ? `where closed = ''` : ''
      const rows = database.prepare(`select * from incident ${where} order by id desc limit ?`).all(limit)
      const instances = database.prepare(
        'select * from incident_instance where incident = ? order by opened, instance collate nocase',
      )
      return rows.map(({ id, opened, closed, message }) => ({
        id: Number(id),
        opened: String(opened),
        closed: String(closed),
        message: String(message),
        instances: instances.all(Number(id)).map((row) => ({
          id: String(row['instance_id']),
          name: String(row['instance']),
          reason: String(row['reason']),
          opened: String(row['opened']),
          closed: String(row['closed']),
        })),
      }))
    },
  }
}
