import type { Parameter } from '../action.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import type { InstanceRef } from '../runtime/runtime.js'

/** Parameter of actions on one instance. */
export const nameOfInstance: Parameter = {
  name: 'name',
  type: 'instance',
  required: true,
  summary: 'Name of the instance',
}

/** As its runtime knows it. */
export function refOf({ home }: Pick<ManagerContext, 'home'>, { id }: Pick<Instance, 'id'>): InstanceRef {
  return { id, folder: home.instance(id).folder }
}
