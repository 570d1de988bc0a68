import { AsyncLocalStorage } from 'node:async_hooks'
import type { Model, ObjectStore } from '@steward/rest-core'
import { purgeAuditEntries } from '@steward/rest-core/system'
import type { Middleware } from 'koa'
import type { Logger } from 'pino'

export interface AuditOptions {
  readonly model: Model
  readonly store: ObjectStore
  /** Age at which entries are deleted; absent: never. */
  readonly keepDays: number | undefined
  readonly logger: Logger
}

/** The audit trail of an application. */
export interface Audit {
  /** Names the request that is being served. */
  requestId(): string | undefined
  /** Remembers the request's id for `requestId()`; goes after the middleware that gives ids. */
  readonly middleware: Middleware
  close(): Promise<void>
}

const dayMs = 86_400_000

/** Deletes old entries now and once a day. @returns `undefined` when no object has an audit trail. */
export function createAudit({ model, store, keepDays, logger }: AuditOptions): Audit | undefined {
  if (![...model.objects.values()].some((object) => object.definition.audit)) return undefined
  const requests = new AsyncLocalStorage<string | undefined>()
  let purging = Promise.resolve()
  const timer = keepDays === undefined ? undefined : setInterval(() => purge(keepDays), dayMs).unref()
  if (keepDays !== undefined) purge(keepDays)
  return {
    requestId: () => requests.getStore(),
    middleware: (context, next) => requests.run(context.state['requestId'] as string | undefined, next),
    async close() {
      clearInterval(timer)
      await purging
    },
  }

  function purge(days: number): void {
    purging = purgeAuditEntries({ model, store }, days).then(
      (count) => void (count > 0 && logger.info(`${count} entries of the audit trail were older than ${days} days`)),
      (error: unknown) => logger.error(error, 'Old entries of the audit trail could not be deleted'),
    )
  }
}
