import { RestError } from '@steward/rest-core/errors'
import type { Context, Middleware } from 'koa'
import { send, textHeaders } from '../http/answer.js'
import type { Log } from '../http/log.js'
import { refuseForeignPage } from '../http/refuse-foreign-page.js'
import { sendError } from '../http/send-error.js'
import { normalisePrefixes, readAddress, urlOf } from '../router/address.js'
import { readBytes } from '../router/body.js'
import { parseJson } from '../router/json.js'
import type { Authentication } from './authentication.js'
import { readAuthorization } from './credentials.js'
import type { LoginAndPassword } from './credentials.js'

export interface LoginRouterOptions {
  /** Where `/login` and `/logout` are. Default `/api`. */
  readonly prefix?: string | readonly string[]
  /** See `restRouter`. */
  readonly log?: Log | undefined
}

/** Not specified; chosen far above any login. */
const bodyLimitBytes = 16_384

/**
 * `/api/login` gives a token for a password, `/api/logout` revokes it; GET or POST, plain text or JSON. The password comes by
 * basic authentication, or in a POST as JSON or form (`username` or `login`, `password`); never in the address, which is logged.
 *
 * Source: wire-decisions, "authentication".
 */
export function loginRouter(
  authentication: Authentication,
  { prefix = '/api', log }: LoginRouterOptions = {},
): Middleware {
  const bases = normalisePrefixes(prefix)

  return async function loginRouter(context, next) {
    const path = readAddress(urlOf(context), bases)?.path
    const action = path === '/login' ? login : path === '/logout' ? logout : undefined
    if (!action) return next()
    try {
      if (context.method !== 'GET' && context.method !== 'POST') {
        context.set('Allow', 'GET, POST')
        throw new RestError('ERR_METHOD', `${context.method} does not work on this address.`)
      }
      if (context.method === 'POST') refuseForeignPage(context, 'send a POST')
      await action(context)
    } catch (error) {
      sendError(context, error, { log })
    }
  }

  async function login(context: Context): Promise<void> {
    const { principal, token } = await authentication.login(context, await passwordOf(context))
    const { userId, firstname, lastname, email, lang } = principal
    const answer = {
      authtoken: token.token,
      authtokenexpiry: token.expires,
      login: principal.login,
      userid: userId,
      firstname,
      lastname,
      email,
      lang,
      sessionid: token.id,
    }
    answerBoth(context, token.token, answer)
  }

  async function logout(context: Context): Promise<void> {
    await authentication.logout(context)
    answerBoth(context, 'OK', { status: 'OK' })
  }

  async function passwordOf(context: Context): Promise<LoginAndPassword | undefined> {
    const header = authentication.headerOf(context)
    if (header !== undefined) {
      const credentials = readAuthorization(header)
      return credentials?.kind === 'password' ? credentials : undefined
    }
    return context.method === 'POST' ? passwordInBody(context) : undefined
  }
}

async function passwordInBody(context: Context): Promise<LoginAndPassword | undefined> {
  const type = context.request.type
  if (type !== 'application/json' && type !== 'application/x-www-form-urlencoded') {
    if (context.request.length)
      throw new RestError('ERR_MEDIA_TYPE', 'Send the login as application/json or application/x-www-form-urlencoded.')
    return undefined
  }
  const parsed: unknown = (context.request as { body?: unknown }).body
  const text = parsed === undefined ? (await readBytes(context.req, bodyLimitBytes)).toString() : ''
  const values =
    parsed ?? (type === 'application/json' ? parseJson(text) : Object.fromEntries(new URLSearchParams(text)))
  const { username, login = username, password = '' } = (values ?? {}) as Record<string, unknown>
  return typeof login === 'string' && login !== '' && typeof password === 'string' ? { login, password } : undefined
}

/** Plain text, or JSON when `format=json`, `_output=json` or `Accept` ask for it. */
function answerBoth(context: Context, text: string, answer: object): void {
  const { format, _output: output } = context.query
  const json =
    format === 'json' || output === 'json' || context.accepts('text/plain', 'application/json') === 'application/json'
  if (json) send(context, 'koa', 200, textHeaders(), JSON.stringify(answer))
  else send(context, 'koa', 200, textHeaders('text/plain; charset=utf-8'), text)
}
