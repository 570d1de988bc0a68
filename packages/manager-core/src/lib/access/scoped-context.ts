import { ManagerError } from '../../errors.js'
import type { Backups } from '../backup/backup.js'
import type { ManagerContext } from '../context.js'
import { noInstance, type Registry } from '../store/registry.js'

/** What there is for a caller who may use some instances only: others, and backups of others, are not there. */
export function scopedContext(context: ManagerContext, ids: ReadonlySet<string>): ManagerContext {
  return Object.create(context, {
    registry: { value: scopedRegistry(context.registry, ids), enumerable: true },
    backups: { get: () => scopedBackups(context.backups, ids), enumerable: true },
  }) as ManagerContext
}

function scopedRegistry(registry: Registry, ids: ReadonlySet<string>): Registry {
  const inScope = (instance: ReturnType<Registry['find']>) => (instance && ids.has(instance.id) ? instance : undefined)
  const find: Registry['find'] = (name) => inScope(registry.find(name))
  return {
    ...registry,
    find,
    byId: (id) => inScope(registry.byId(id)),
    instances: () => registry.instances().filter(({ id }) => ids.has(id)),
    get(name) {
      const instance = find(name)
      if (!instance) throw noInstance(name)
      return instance
    },
    history: (filter) => registry.history({ ...filter, only: ids }),
  }
}

/** By the instance's id in the manifest: another one may have had the name. Whose damaged ones are is unknown. */
function scopedBackups(backups: Backups, ids: ReadonlySet<string>): Backups {
  return {
    ...backups,
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
