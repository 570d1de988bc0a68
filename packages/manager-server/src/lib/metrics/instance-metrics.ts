import { Gauge, type Registry } from 'prom-client'
import type { Json } from '@steward/manager-core'

/** As the actions `list` and `monitoring` give them. */
export type Row = Readonly<Record<string, Json>>

export interface MetricsSource {
  readonly instances: readonly Row[]
  readonly measured: readonly Row[]
  readonly openIncidents: number
  /** States of operations that have not ended. */
  readonly operations: readonly string[]
}

/** Metrics of the instances as they are now. Values that are not known are left out. */
export function addInstanceMetrics(registry: Registry, source: MetricsSource): void {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `steward_${name}`, help, labelNames, registers: [registry] })

  const states = gauge('instances', 'Instances by what is observed of them.', ['state'])
  const info = gauge('instance_info', 'Always 1; what an instance is.', ['instance', 'version', 'database', 'runtime'])
  const proved = gauge('instance_proved_timestamp_seconds', 'Time of the last successful test restore of a backup.', [
    'instance',
  ])
  for (const { name, observed, version, database, runtime, proved: at } of source.instances) {
    states.inc({ state: String(observed) })
    const labels = { version: String(version), database: String(database), runtime: String(runtime) }
    info.set({ instance: String(name), ...labels }, 1)
    if (at !== '') proved.set({ instance: String(name) }, Date.parse(String(at)) / 1000)
  }

  const started = gauge('instance_started', 'Whether it is to run.', ['instance'])
  const up = gauge('instance_up', 'Whether its last health check went well.', ['instance'])
  const incident = gauge('instance_incident', 'Whether it is part of an open incident.', ['instance'])
  const measures = [
    ['response_ms', 0.001, gauge('instance_response_seconds', 'How long /health took.', ['instance'])],
    ['memory_mb', 1_048_576, gauge('instance_memory_bytes', 'Resident memory of its processes.', ['instance'])],
    ['cpu_percent', 0.01, gauge('instance_cpu_cores', 'Cores that it kept busy between checks.', ['instance'])],
    ['disk_mb', 1_048_576, gauge('instance_disk_bytes', 'Size of its folder.', ['instance'])],
  ] as const
  const checked = gauge('instance_check_timestamp_seconds', 'When it was checked last.', ['instance'])
  for (const row of source.measured) {
    const instance = { instance: String(row['name']) }
    const isStarted = row['status'] === 'started'
    started.set(instance, isStarted ? 1 : 0)
    incident.set(instance, row['incident'] === null ? 0 : 1)
    // What was measured before it was stopped says nothing about now.
    if (row['at'] === '' || !isStarted) continue
    up.set(instance, row['ok'] === true ? 1 : 0)
    checked.set(instance, Date.parse(String(row['at'])) / 1000)
    for (const [key, factor, metric] of measures)
      if (typeof row[key] === 'number') metric.set(instance, row[key] * factor)
  }

  gauge('incidents_open', 'Incidents that last.').set(source.openIncidents)
  const operations = gauge('operations', 'Operations that have not ended, by state.', ['state'])
  for (const state of source.operations) operations.inc({ state })
}
