import { ManagerError } from '../../errors.js'
import { accountAt, writeAccount } from '../accounts/account.js'
import { lostAccount } from '../accounts/lost-account.js'
import { lostText } from '../instances/account-step.js'
import { areLinksProtected, giveHome, wrongOwnerOf } from '../accounts/give.js'
import { checkAccount } from '../accounts/system-accounts.js'
import { isolationOf } from '../accounts/why-not.js'
import { isRunning } from '../domain/instance.js'
import { refOf } from '../runtime/instance-ref.js'
import type { DoctorCheck, Finding } from './check.js'

export const isolationChecks: readonly DoctorCheck[] = [
  {
    id: 'isolation',
    category: 'system',
    title: 'Instances cannot read files of the manager and of each other',
    async run(context) {
      const { registry, home, settings } = context
      const isolation = isolationOf(context)
      const level = settings.global.isolation === 'yes' ? 'error' : 'warning'
      if (!isolation.isOn && isolation.obstacle)
        return [{ level, message: isolation.obstacle.reason, help: isolation.obstacle.help }]
      const findings: Finding[] = []
      const without: string[] = []
      for (const { id, name } of registry.instances()) {
        try {
          const account = accountAt(home.instance(id).folder)
          if (account) checkAccount(account)
          else without.push(name)
        } catch (error) {
          if (!ManagerError.is(error)) throw error
          findings.push({ level: 'error', message: `"${name}": ${error.message}`, help: `manager isolate ${name}` })
        }
      }
      if (isolation.isOn && without.length > 0)
        findings.push({
          level,
          message: `${without.join(', ')} ${without.length === 1 ? 'runs' : 'run'} as the user of the manager.`,
          help: 'Give each its own system account: manager isolate --all',
        })
      return findings
    },
  },
  {
    id: 'instance-account',
    category: 'instances',
    title: 'Instances have the file that names their account',
    async run({ registry, home }) {
      return registry.instances().flatMap(({ id, name }): readonly Finding[] => {
        const own = home.instance(id)
        const lost = lostAccount(own, home.folder)
        if (!lost) return []
        return [
          {
            level: 'error',
            message: `"${name}": ${lostText(own.folder, lost)}.`,
            help: 'To write it again: manager doctor instances --fix',
            async fix() {
              await writeAccount(own.folder, lost)
              return 'It was written again.'
            },
          },
        ]
      })
    },
  },
  {
    id: 'instance-owners',
    category: 'instances',
    title: 'Files of instances belong to their accounts',
    async run({ registry, home, runtimes }) {
      const findings: Finding[] = []
      for (const instance of registry.instances()) {
        const { id, name } = instance
        const own = home.instance(id)
        const found = wrongOwnerOf(own)
        if (!found) continue
        const { account, path, uid } = found
        const { state } = await runtimes.observe(refOf({ home }, instance))
        const isFixable = uid === process.getuid?.() && areLinksProtected() && !isRunning(state)
        findings.push({
          level: 'error',
          message: `"${name}": ${found.message}.`,
          help: isFixable
            ? `Nothing is lost. To give it back: manager doctor instances --fix`
            : `Nothing is lost. Stop the instance, then give it back: chown -hR ${account.name}: ${path}`,
          ...(isFixable && {
            async fix() {
              await giveHome(own, account)
              return `Its files belong to ${account.name} again. Start it: manager start ${name}`
            },
          }),
        })
      }
      return findings
    },
  },
]
