import type { Router } from '@koa/router'
import type { Context } from 'koa'
import type { Manager, WhoAmI } from '@steward/manager-core'
import type { Access, GivenPassword } from '../access/access.js'
import { callerOf } from '../access/caller-of.js'
import type { Principal } from '../access/principal.js'
import type { Addressing } from '../addressing.js'
import { createRouter } from '../create-router.js'
import { HttpError } from '../http-error.js'
import { readBody } from '../read-body.js'
import type { ServerState } from '../server-state.js'
import type { SessionAnswer } from './session-answer.js'

export interface SessionRouterOptions {
  readonly manager: Manager
  readonly access: Access
  readonly addressing: Addressing
}

/**
 * Sessions of the pages. `GET /api/session`: who is signed in. `POST`: signs in, by `{name, password, stay?}`. `DELETE`:
 * signs out. `POST /api/session/ticket`: a ticket for one download.
 */
export function sessionRouter({ manager, access, addressing }: SessionRouterOptions): Router<ServerState> {
  return createRouter(addressing)
    .all('session', '/api/session{/}', async (context) => {
      expectMethod(context, ['GET', 'POST', 'DELETE'])
      context.set('Cache-Control', 'no-store')
      await session(context)
    })
    .all('sessionTicket', '/api/session/ticket{/}', async (context) => {
      expectMethod(context, ['POST'])
      context.set('Cache-Control', 'no-store')
      await ticket(context)
    })

  async function session(context: Context): Promise<void> {
    if (context.method === 'GET') return whoIsThere(context)
    access.guard(context.req, { actor: 'unknown', address: access.addressOf(context.req) }, 'log-in')
    if (context.method === 'POST') return signIn(context)
    access.signOut(context.req, context.res)
    answer(context, 'You are signed out.', { item: null })
  }

  async function signIn(context: Context): Promise<void> {
    const given = givenIn(await readBody(context.req, 'application/json', 'The body'))
    const { principal, key } = await access.signIn(context.req, context.res, given)
    answer(context, `You are signed in as ${principal.actor}.`, { item: await userOf(principal), key: key.reveal() })
  }

  async function whoIsThere(context: Context): Promise<void> {
    const principal = await access.find(context.req)
    if (!principal) return answer(context, 'You are not signed in.', { item: null })
    answer(context, `You are ${principal.actor}.`, { item: await userOf(principal) })
  }

  async function ticket(context: Context): Promise<void> {
    const principal = await access.authenticate(context.req)
    access.guard(context.req, principal, 'download')
    context.body = {
      status: 0,
      message: 'A ticket for a download; it holds once.',
      ticket: access.issueTicket(principal),
    }
  }

  async function userOf(principal: Principal): Promise<SessionAnswer['item']> {
    const { item } = await manager.perform('whoami', {}, callerOf(principal))
    const { session } = principal
    return {
      ...(item as WhoAmI),
      session: session ? { id: session.id, expires: session.expires, stays: session.stays } : null,
    }
  }
}

function answer(context: Context, message: string, body: SessionAnswer): void {
  context.body = { status: 0, message, ...body }
}

/** @throws HttpError 405 */
function expectMethod(context: Context, allowed: readonly string[]): void {
  if (allowed.includes(context.method)) return
  throw new HttpError(405, 'ERR_USAGE', `It takes ${allowed.join(', ')}.`, { headers: { Allow: allowed.join(', ') } })
}

/** @throws HttpError 400 */
function givenIn(text: string): GivenPassword {
  const { name, password, stay = false } = objectIn(text)
  if (typeof name === 'string' && typeof password === 'string' && typeof stay === 'boolean')
    return { user: name, password, stays: stay }
  throw new HttpError(400, 'ERR_USAGE', 'Send {"name": "…", "password": "…", "stay": true or false}.')
}

/** What is no object has none of the fields. */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...(JSON.parse(text) as object) }
  } catch {
    return {}
  }
}
