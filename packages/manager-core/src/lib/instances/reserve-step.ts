import { ManagerError } from '../../errors.js'
import type { ManagerContext, Step } from '../context.js'
import { isThrowAway } from '../domain/instance.js'
import { checkCustomUrl, checkNamedAddress } from './addresses.js'
import type { NewInstance } from './creation.js'
import { takePort } from './ports.js'

/**
 * Takes name, number and port by inserting the instance's row, marked by its operation. The lock `ports` is held for
 * that moment only, so that many instances can be created at the same time.
 *
 * @param note what a person should know of it
 * @param wantedPort the port that it gets when it is free
 */
export function reserveStep(row: NewInstance, note: string | null = null, wantedPort?: number): Step {
  const isOurs = (context: ManagerContext, operation: string) => context.registry.byId(row.id)?.operation === operation
  return {
    id: 'reserve',
    title: `Reserve the name "${row.name}" and a port`,
    do({ context, operation, signal, warn }) {
      if (note !== null) warn(note)
      return takePort(
        context,
        signal,
        (port) => {
          context.registry.transaction((writer) => {
            if (!isThrowAway(row)) checkLimit(context)
            checkNamedAddress(row, context)
            checkCustomUrl(row, context)
            writer.insertInstance({
              ...row,
              desired: 'stopped',
              port,
              operation,
              observed: 'stopped',
              updated: row.created,
            })
          })
          return { port }
        },
        wantedPort,
      )
    },
    async undo({ context, operation }) {
      if (isOurs(context, operation)) context.registry.transaction((writer) => writer.deleteInstance(row.id))
    },
    check: ({ context, operation }) => (isOurs(context, operation) ? 'done' : 'not-done'),
  }
}

/** @throws ManagerError ERR_LIMIT when APPS_MAXINSTANCES are there. */
export function checkLimit({ registry, settings }: ManagerContext): void {
  const { maxInstances } = settings.global
  if (maxInstances === 0 || registry.count() < maxInstances) return
  throw new ManagerError(
    'ERR_LIMIT',
    `APPS_MAXINSTANCES allows ${maxInstances} instances, and there are ${registry.count()}.`,
    {
      help: 'Delete an instance, or raise APPS_MAXINSTANCES in config.sh.',
      command: 'list',
    },
  )
}
