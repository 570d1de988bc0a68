import { refOf } from '../runtime/instance-ref.js'
import { limitText, type LimitInForce, type LimitName } from '../runtime/limits/limits.js'
import { globalTable } from '../settings/tables/global.js'
import type { DoctorCheck, Finding } from './check.js'

const called: Readonly<Record<LimitName, string>> = {
  heap: 'the heap',
  memory: 'memory',
  cpu: 'CPU',
  processes: 'processes and threads',
  files: 'open files',
}

export const limitChecks: readonly DoctorCheck[] = [
  {
    id: 'limits',
    category: 'instances',
    title: 'Limits of instances are enforced',
    async run(context) {
      const { runtimes, registry } = context
      const instances = registry.instances()
      const used = new Set(instances.map(({ runtime }) => runtime).filter((name) => runtimes.names.includes(name)))
      const findings: Finding[] = [...(used.size > 0 ? used : runtimes.names.slice(0, 1))].map((name) => ({
        level: 'ok',
        message: runtimes.named(name).howLimited?.() ?? `Instances with the runtime "${name}" have no limits.`,
      }))
      for (const instance of instances) {
        const { name } = instance
        const { limits = [] } = await runtimes.observe(refOf(context, instance))
        for (const limit of limits.filter((one) => one.by === 'none' && !isUsual(one)))
          findings.push({
            level: 'warning',
            message: `The limit of "${name}" of ${limitText(limit)} (${called[limit.name]}) is not enforced.`,
            help: 'Use cgroup v2, and run the manager as root or in a systemd unit with Delegate=yes.',
          })
      }
      return findings
    },
  },
]

/** It was not asked for: it holds where it can. */
function isUsual({ name, value }: LimitInForce): boolean {
  return name === 'processes' && String(value) === globalTable.APPS_LIMIT_PROCESSES.default
}
