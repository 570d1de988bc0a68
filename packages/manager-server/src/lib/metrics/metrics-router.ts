import type { Router } from '@koa/router'
import type { Context } from 'koa'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { findAction, type Action, type Input, type Manager } from '@steward/manager-core'
import type { Access } from '../access/access.js'
import { callerOf } from '../access/caller-of.js'
import type { Addressing } from '../addressing.js'
import { createRouter } from '../create-router.js'
import { HttpError } from '../http-error.js'
import type { ServerState } from '../server-state.js'
import { addInstanceMetrics, type Row } from './instance-metrics.js'

export interface MetricsRouterOptions {
  readonly manager: Manager
  readonly access: Access
  readonly addressing: Addressing
}

/** States of operations that are worth an alert. */
const operationStates = ['queued', 'running', 'undoing', 'interrupted', 'attention'] as const

/**
 * `GET /metrics`, for Prometheus: the instances as far as the principal may see them, and this process. It needs the
 * ability `read`.
 */
export function metricsRouter({ manager, access, addressing }: MetricsRouterOptions): Router<ServerState> {
  const ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess, prefix: 'steward_server_' })
  const needed = findAction('monitoring') as Action

  return createRouter(addressing).all('metrics', '/metrics{/}', answer)

  async function answer(context: Context): Promise<void> {
    if (context.method !== 'GET')
      throw new HttpError(405, 'ERR_USAGE', 'Metrics are read with GET.', { headers: { Allow: 'GET' } })
    context.set('Cache-Control', 'no-store')
    const principal = await access.authenticate(context.req)
    access.authorize(principal, needed)
    const caller = callerOf(principal)
    const list = async (action: string, input: Readonly<Record<string, Input>> = {}) =>
      ((await manager.perform(action, input, caller)).list ?? []) as readonly Row[]

    const registry = new Registry()
    const operations = operationStates.map(async (state) =>
      (await list('operations', { state, limit: 1000 })).map(() => state),
    )
    addInstanceMetrics(registry, {
      instances: await list('list'),
      measured: await list('monitoring'),
      openIncidents: (await list('incidents', { open: true, limit: 10_000 })).length,
      operations: (await Promise.all(operations)).flat(),
    })
    context.type = registry.contentType
    // Who may use some instances only does not see the manager's own figures.
    context.body = `${await registry.metrics()}${principal.grant.scope.all ? `\n${await ofProcess.metrics()}` : ''}`
  }
}
