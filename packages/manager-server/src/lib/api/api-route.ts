import type { Middleware } from 'koa'
import { findAction, type Caller, type Input, type Manager } from '@steward/manager-core'
import type { Access } from '../access/access.js'
import type { Addressing } from '../addressing.js'
import { HttpError } from '../http-error.js'
import type { ServerState } from '../server-state.js'

export interface ApiRouteOptions {
  readonly manager: Manager
  readonly access: Access
  readonly addressing: Addressing
}

/** `GET /api?action=…`. Source: requirements, "HTTP API". */
export function apiRoute({ manager, access, addressing }: ApiRouteOptions): Middleware<ServerState> {
  return async (context, next) => {
    if (addressing.below(context.path)?.replace(/\/$/, '') !== '/api') return next()
    const principal = await access.authenticate(context.req)
    const {
      action: name = 'config',
      name: instance,
      param,
      prettyprint,
      ...rest
    } = context.query as Record<string, string>
    const action = findAction(name)
    if (!action || !(action.surfaces ?? ['api']).includes('api'))
      throw new HttpError(404, 'ERR_NOT_FOUND', `There is no action "${name.slice(0, 40)}".`)
    access.authorize(principal, action)
    if (action.mutating) access.guard(context.req, principal)
    const [first, second] = action.parameters ?? []
    const input: Record<string, Input> = {}
    if (first?.type.match(/^(instance|new-name)$/)) {
      input[first.name] = instance
      if (second) input[second.name] = param
    } else if (first) input[first.name] = param ?? instance
    for (const [key, value] of Object.entries(rest)) input[/^options\[(.+)\]$/.exec(key)?.[1] ?? key] = value
    const caller: Caller = {
      actor: principal.actor,
      surface: 'api',
      address: principal.address,
      instances: principal.instances,
    }
    const { message, warnings, operation, list, item, plan, data, exitCode, file } = await manager.perform(
      name,
      input,
      caller,
    )
    if (file) {
      context.attachment(file.name)
      context.type = file.mime
      const { Readable } = await import('node:stream')
      context.body = Readable.from(file.content())
      return
    }
    const body = { status: exitCode ?? 0, message, ...data, list, item, plan, operation, warnings }
    context.type = 'json'
    context.body = JSON.stringify(body, undefined, prettyprint === 'true' ? 2 : undefined)
  }
}
