import type { Incident } from '../domain/incident.js'
import type { Registry } from './registry.js'
import { sqlite } from './sqlite.js'

/** Incidents in the registry. */
export interface IncidentStore {
  /** Newest first. */
  list(filter?: { readonly limit?: number; readonly onlyOpen?: boolean }): readonly Incident[]
  /** Those that last, or whose end was not reported yet. Oldest first. */
  unfinished(): readonly Incident[]
  /** @returns its number */
  insert(incident: Omit<Incident, 'id'>): number
  update(incident: Incident): void
  /** Forgets those that were over before. */
  prune(before: string): void
}

export function createIncidentStore({ [sqlite]: database, transaction }: Registry): IncidentStore {
  const read = (rest: string, ...values: number[]) =>
    database
      .prepare(`select id, opened, closed, message, told from incident ${rest}`)
      .all(...values)
      .map((row) => ({ ...row, instances: instancesOf(Number(row['id'])) }) as unknown as Incident)
  const instancesOf = (id: number) =>
    database
      .prepare(
        `select instance_id as id, instance as name, reason, opened, closed from incident_instance
         where incident = ? order by opened, instance collate nocase`,
      )
      .all(id)
  function putInstances({ id, instances }: Pick<Incident, 'id' | 'instances'>): void {
    const put = database.prepare(
      `insert or replace into incident_instance (incident, instance_id, instance, reason, opened, closed)
       values (?, ?, ?, ?, ?, ?)`,
    )
    for (const one of instances) put.run(id, one.id, one.name, one.reason, one.opened, one.closed)
  }

  return {
    list: ({ limit = 100, onlyOpen = false } = {}) =>
      read(`${onlyOpen ? `where closed = ''` : ''} order by id desc limit ?`, limit),
    unfinished: () => read(`where told <> 'closed' order by id`),
    insert: (incident) =>
      transaction(() => {
        const { opened, closed, message, told } = incident
        const { lastInsertRowid } = database
          .prepare('insert into incident (opened, closed, message, told) values (?, ?, ?, ?)')
          .run(opened, closed, message, told)
        const id = Number(lastInsertRowid)
        putInstances({ ...incident, id })
        return id
      }),
    update: (incident) =>
      transaction(() => {
        const { id, closed, message, told } = incident
        database
          .prepare('update incident set closed = ?, message = ?, told = ? where id = ?')
          .run(closed, message, told, id)
        putInstances(incident)
      }),
    prune: (before) =>
      void transaction(() =>
        database.prepare(`delete from incident where closed <> '' and told = 'closed' and closed < ?`).run(before),
      ),
  }
}
