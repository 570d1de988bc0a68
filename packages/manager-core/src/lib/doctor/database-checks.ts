import type { Instance } from '../domain/instance.js'
import { namedDatabases, whoseIs } from '../instances/mark-databases.js'
import { registryFaults } from '../store/check-registry.js'
import { hasOperations } from '../store/operation-rows.js'
import { createReserve } from '../store/reserve.js'
import { rebuildCommand } from '../system/failure.js'
import type { DoctorCheck, Finding } from './check.js'

function nameThem(instances: readonly Instance[], type: string): string {
  return instances.flatMap(({ name, database }) => (database === type ? [name] : [])).join(', ')
}

export const databaseChecks: readonly DoctorCheck[] = [
  {
    id: 'registry',
    category: 'databases',
    title: "The manager's registry is intact",
    async run({ registry }) {
      return registryFaults(registry).map((text) => ({
        level: 'error',
        message: `manager.db: ${text}`,
        help: `manager ${rebuildCommand}`,
      }))
    },
  },
  {
    id: 'registry-copies',
    category: 'databases',
    title: 'The copy of the registry is up to date',
    async run({ registryCopies }) {
      const problem = registryCopies.keep()
      return problem === undefined ? [] : [{ level: 'warning', message: problem }]
    },
  },
  {
    id: 'registry-reserve',
    category: 'databases',
    title: 'Disk space is reserved for rolling back on a full disk',
    async run({ home, registry }) {
      const isUsed = hasOperations(registry)
      const reserve = createReserve(home.database)
      if (!isUsed || reserve.isThere()) return []
      return [
        {
          level: 'warning',
          message: 'manager.db-reserve is missing. On a full disk, operations could not be rolled back.',
          async fix() {
            reserve.keep()
            if (!reserve.isThere()) throw new Error('there is no disk space for it')
            return 'It was created again.'
          },
        },
      ]
    },
  },
  {
    id: 'database-servers',
    category: 'databases',
    title: 'Database servers can be reached',
    async run({ settings, databases, registry }) {
      const findings: Finding[] = []
      const used = new Set(registry.instances().map(({ database }) => database))
      for (const type of settings.global.databases) {
        try {
          const server = databases.server(type)
          const { tools } = await server.probe()
          const lack = server.capabilities.toolDumps ? 'a slower method is used.' : '"manager database" requires it.'
          for (const [tool, path] of Object.entries(tools)) {
            if (path === undefined)
              findings.push({ level: 'warning', message: `${type}: ${tool} is not installed; ${lack}` })
          }
        } catch (error) {
          // A type that no instance uses may be configured by default without a server being there.
          const level = used.has(type) || type === settings.global.defaultDatabase ? 'error' : 'warning'
          findings.push({
            level,
            message: `${type}: ${(error as Error).message}`,
            help:
              `Start it if it does not run, or correct its settings (APPS_${type.toUpperCase()}_…). ` +
              (used.has(type)
                ? `Instances use it (${nameThem(registry.instances(), type)}): without it, they do not work.`
                : 'If no instance is to use it, remove it from APPS_DATABASES.'),
          })
        }
      }
      return findings
    },
  },
  {
    id: 'database-marks',
    category: 'databases',
    title: 'Databases on servers are marked as those of this home',
    async run(context) {
      const findings: Finding[] = []
      for (const named of await namedDatabases(context)) {
        const { type, name, user } = named
        // A server that cannot be reached is found above.
        const whose = await whoseIs(context, named).catch(() => undefined)
        if (typeof whose === 'object')
          findings.push({
            level: 'error',
            message: `The database "${name}" is marked "${whose.mark}": it is another home's, and is neither changed nor removed.`,
            help: 'If that home is no longer used, take over what it had: manager doctor --adopt',
          })
        if (whose === 'none')
          findings.push({
            level: 'warning',
            message: `The database "${name}" has no mark: a copy of this home could remove it.`,
            async fix() {
              await context.databases.server(type).mark({ name, user, password: '' })
              return `The database "${name}" was marked.`
            },
          })
      }
      return findings
    },
  },
]
