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
    title: 'Instances are held to their limits',
    async run(context) {
      const { runtimes, registry } = context
      const instances = registry.instances()
      const used = new Set(instances.map(({ runtime }) => runtime).filter((name) => runtimes.names.includes(name)))
      const findings: Finding[] = [...(used.size > 0 ? used : runtimes.names.slice(0, 1))].map((name) => ({
        level: 'ok',
        message: runtimes.named(name).howLimited?.() ?? `Instances that run as "${name}" have no limits.`,
      }))
      for (const instance of instances) {
        const { name } = instance
        const { limits = [] } = await runtimes.observe(refOf(context, instance))
        for (const limit of limits.filter((one) => one.by === 'none' && !isUsual(one)))
          findings.push({
            level: 'warning',
            message: `"${name}" is not held to its limit of ${limitText(limit)} (${called[limit.name]}).`,
            help: 'That needs cgroup v2, and a manager that may use it: root, or a unit of systemd with Delegate=yes.',
          })
      }
      return findings
    },
  },
]

/** Nobody asked for it: it holds where it can. */
function isUsual({ name, value }: LimitInForce): boolean {
  return name === 'processes' && String(value) === globalTable.APPS_LIMIT_PROCESSES.default
}
