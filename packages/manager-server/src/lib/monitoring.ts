import { startMonitoring, type Manager, type Monitoring } from '@steward/manager-core'

/** Health checks of the instances while the server runs. Source: requirements, "Command line" (`monitor`). */
export function monitoringOf({ context }: Manager): Monitoring {
  return startMonitoring({ context, onProblem: (message) => process.stderr.write(`Monitoring: ${message}\n`) })
}
