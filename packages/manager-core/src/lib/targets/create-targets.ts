import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { Targets } from './targets.js'

/** The targets of `config.sh`; plug-ins are looked for in `<home>/node_modules` first. */
export function createTargets({ settings }: Pick<ManagerContext, 'settings' | 'home'>): Targets {
  const { targets } = settings.global
  return {
    all: targets,
    get(name) {
      throw new ManagerError('ERR_NOT_FOUND', `Not there yet: ${name}`)
    },
    describe: (name) => Promise.resolve(name),
    use(name) {
      throw new ManagerError('ERR_NOT_FOUND', `Not there yet: ${name}`)
    },
  }
}
