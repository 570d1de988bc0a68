import { ManagerError } from '../../errors.js'
import type { Backups } from '../backup/backup.js'
import type { ManagerContext } from '../context.js'
import { isThrowAway } from '../domain/instance.js'
import { databaseOf, noInstance, type Registry } from '../store/registry.js'

/** What there is for a caller who may use some instances only: others, and backups of others, are not there. */
export function scopedContext(context: ManagerContext, ids: ReadonlySet<string>): ManagerContext {
  return Object.create(context, {
    registry: { value: scopedRegistry(context.registry, ids), enumerable: true },
    backups: { get: () => scopedBackups(context.backups, ids), enumerable: true },
  }) as ManagerContext
}

/** Each member is named, so that a new one cannot show other instances before this was decided. */
function scopedRegistry(registry: Registry, ids: ReadonlySet<string>): Registry {
  const inScope = (instance: ReturnType<Registry['find']>) => (instance && ids.has(instance.id) ? instance : undefined)
  const find: Registry['find'] = (name) => inScope(registry.find(name))
  return {
    find,
    byId: (id) => inScope(registry.byId(id)),
    instances: () => registry.instances().filter(({ id }) => ids.has(id)),
    get(name) {
      const instance = find(name)
      if (!instance) throw noInstance(name)
      return instance
    },
    history: (filter) => registry.history({ ...filter, only: ids }),
    count: () => registry.instances().filter((one) => ids.has(one.id) && !isThrowAway(one)).length,
    provedBackups: () => new Map([...registry.provedBackups()].filter(([id]) => ids.has(id))),
    // What is needed to change an instance in the scope, and shows no other one.
    ...databaseOf(registry),
    usedPorts: registry.usedPorts,
    hasReservedPort: registry.hasReservedPort,
    versions: registry.versions,
    versionLooks: registry.versionLooks,
    transaction: registry.transaction,
    close: registry.close,
  }
}

/** By the instance's id in the manifest: another one may have had the name. Whose damaged ones are is unknown. */
function scopedBackups(backups: Backups, ids: ReadonlySet<string>): Backups {
  return {
    verify: backups.verify,
    list: async (filter) => (await backups.list(filter)).filter(({ manifest }) => ids.has(manifest.instance.id)),
    damaged: async () => [],
    async find(name, wanted) {
      const backup = await backups.find(name, wanted)
      if (ids.has(backup.manifest.instance.id)) return backup
      throw new ManagerError('ERR_NOT_FOUND', `No such backup of "${name.slice(0, 40)}" was found.`, {
        command: 'backups list',
      })
    },
  }
}
