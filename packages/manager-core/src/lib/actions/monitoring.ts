import type { Action } from '../action.js'
import { isInScope } from '../domain/grant.js'
import type { WireIncident } from '../domain/incident.js'
import { isThrowAway } from '../domain/instance.js'
import { readMoment } from '../domain/moment.js'
import { countText } from '../domain/readable.js'
import { wireSample, type MonitoredInstance } from '../domain/sample.js'
import { describeIncident } from '../monitoring/describe-incident.js'
import { createIncidentStore } from '../store/incident-store.js'
import { createSampleStore } from '../store/sample-store.js'
import { defineAction } from './define-action.js'
import { nameOfInstance } from './shared-inputs.js'

const dayMs = 86_400_000
const hourMs = 3_600_000

const samples = defineAction({
  name: 'samples',
  group: 'Looking',
  summary: 'Show the measurements of an instance over time',
  description:
    'Health, response time, memory, CPU (of one core) and size of the folder, from the checks that the server ' +
    'makes every APPS_MONITORINTERVAL seconds. If there are more samples than --points, neighbouring samples are ' +
    'merged: the longest response time, the average of the other values, and not ok if any sample was not.',
  parameters: [nameOfInstance],
  options: [
    { name: 'since', type: 'text', summary: 'Not older: 10m, 2h, 3d, 14:03, 2026-11-20 (default: 1d)' },
    { name: 'points', type: 'integer', min: 1, max: 10_000, summary: 'Maximum number of points (default 500)' },
  ],
  ability: 'read',
  mutating: false,
  examples: ['samples demo', 'samples demo --since 2026-11-20 --points 100'],
  view: {
    type: 'table',
    columns: ['at', 'ok', 'reason', 'response_ms', 'memory_mb', 'cpu_percent', 'disk_mb'],
    empty: 'There are no measurements in this period. The server measures while it runs.',
  },
  async handler({ context, input }) {
    const { id, name } = input.name
    const to = context.clock().getTime()
    const from = input.since === undefined ? to - dayMs : readMoment(input.since, context.clock())
    const points = input.points ?? 500
    const list = createSampleStore(context.registry)
      .range(id, { from, to: Math.max(from, to), points })
      .map(wireSample)
    return { message: `${countText(list.length, 'sample')} of "${name}"`, list }
  },
})

const monitoring = defineAction({
  name: 'monitoring',
  group: 'Looking',
  summary: 'Show the latest measurements of each instance',
  description:
    'The columns checks and failed count the checks of the last hour; incident is the number of the open ' +
    'incident.',
  options: [
    {
      name: 'points',
      type: 'integer',
      min: 2,
      max: 60,
      summary: 'Include the response times of the last hour, as this many values',
    },
  ],
  ability: 'read',
  scoped: true,
  mutating: false,
  examples: ['monitoring', 'monitoring --json'],
  view: {
    type: 'table',
    columns: ['name', 'at', 'ok', 'reason', 'response_ms', 'memory_mb', 'cpu_percent', 'disk_mb', 'failed', 'incident'],
    empty: 'There are no instances.',
  },
  async handler({ context: { registry, clock }, input: { points } }) {
    const store = createSampleStore(registry)
    const now = clock().getTime()
    const counts = store.counts(now - hourMs)
    const times = points === undefined ? undefined : store.responseTimes({ from: now - hourMs, to: now, points })
    const incidents = new Map(
      createIncidentStore(registry)
        .list({ onlyOpen: true })
        .flatMap(({ id, instances }) => instances.filter(({ closed }) => closed === '').map((one) => [one.id, id])),
    )
    const instances = registry.instances().filter((one) => !isThrowAway(one))
    const list = instances.map(({ id, name, desired }): MonitoredInstance => {
      const newest = store.newest(id)
      return {
        name,
        status: desired,
        ...(newest ? wireSample(newest) : nothing),
        ...(counts.get(id) ?? { checks: 0, failed: 0 }),
        incident: incidents.get(id) ?? null,
        ...(times && { response_times: times.get(id) ?? [] }),
      }
    })
    return { message: countText(list.length, 'instance'), list }
  },
})

const incidents = defineAction({
  name: 'incidents',
  group: 'Looking',
  summary: 'Show incidents: when instances were down or unhealthy',
  description: 'Instances that failed at the same time are one incident. The latest comes first.',
  options: [
    { name: 'open', type: 'flag', summary: 'Open incidents only' },
    { name: 'limit', type: 'integer', min: 1, max: 10_000, summary: 'How many at most (default: 100)' },
  ],
  ability: 'read',
  scoped: true,
  mutating: false,
  examples: ['incidents', 'incidents --open'],
  view: { type: 'table', columns: ['id', 'opened', 'closed', 'message'], empty: 'There are no incidents.' },
  async handler({ context, input, caller }) {
    const found = createIncidentStore(context.registry).list({
      limit: input.limit ?? 100,
      onlyOpen: input.open,
    })
    const list = found.flatMap(({ id, opened, closed, message, instances }): readonly WireIncident[] => {
      const visible = instances.filter(({ id: one }) => isInScope(caller.grant.scope, one))
      if (visible.length === 0) return []
      const shown = visible.map(({ id: _id, ...one }) => one)
      // The message may name others.
      const text = visible.length === instances.length ? message : describeIncident(visible, [])
      return [{ id, opened, closed, message: text, instances: shown }]
    })
    return { message: countText(list.length, 'incident'), list }
  },
})

export const monitoringActions: readonly Action[] = [samples, monitoring, incidents]

/** For an instance that was not measured yet. */
const nothing = {
  at: '',
  ok: null,
  reason: '',
  response_ms: null,
  memory_mb: null,
  cpu_percent: null,
  disk_mb: null,
}
