import { RestError } from '@steward/rest-core/errors'
import type { Context, Middleware } from 'koa'
import { send, textHeaders } from '../http/answer.js'
import type { Log } from '../http/log.js'
import { refuseForeignPage } from '../http/refuse-foreign-page.js'
import { sendError } from '../http/send-error.js'
import { normalisePrefixes, readAddress, urlOf } from '../router/address.js'
import { readBytes } from '../router/body.js'
import { parseJson } from '../router/json.js'
import type { Authentication, Login } from './authentication.js'
import { readAuthorization } from './credentials.js'
import { isViewing, viewAsHeader } from './view-as.js'
import type { LoginAndPassword } from './credentials.js'

export interface LoginRouterOptions {
  /** Where `/login`, `/logout` and `/password` are. Default `/api`. */
  readonly prefix?: string | readonly string[]
  /** See `restRouter`. */
  readonly log?: Log | undefined
}

/** Not specified; chosen far above any login. */
const bodyLimitBytes = 16_384

/**
 * `/api/login` gives a token for a password, `/api/logout` revokes it; GET or POST, plain text or JSON. The password comes by
 * basic authentication, or in a POST as JSON or form (`username` or `login`, `password`); never in the address, which is logged.
 * A POST to `/api/password` gives the caller another password (`password`, `newPassword`) and a token.
 *
 * Source: docs/spec/wire-decisions.md, "authentication".
 */
export function loginRouter(
  authentication: Authentication,
  { prefix = '/api', log }: LoginRouterOptions = {},
): Middleware {
  const bases = normalisePrefixes(prefix)
  const actions: Readonly<Record<string, (context: Context) => Promise<void>>> = {
    '/login': login,
    '/logout': logout,
    '/password': changePassword,
  }

  return async function loginRouter(context, next) {
    const path = readAddress(urlOf(context), bases)?.path
    const action = path === undefined ? undefined : actions[path]
    if (!action) return next()
    try {
      const methods = action === changePassword ? ['POST'] : ['GET', 'POST']
      if (!methods.includes(context.method)) {
        context.set('Allow', methods.join(', '))
        throw new RestError('ERR_METHOD', `${context.method} does not work on this address.`)
      }
      if (context.method === 'POST') refuseForeignPage(context, 'send a POST')
      if (isViewing(context))
        throw new RestError('ERR_BAD_REQUEST', `No one signs in or out for another user; leave out ${viewAsHeader}.`)
      await action(context)
    } catch (error) {
      sendError(context, error, { log })
    }
  }

  async function login(context: Context): Promise<void> {
    answerLogin(context, await authentication.login(context, await passwordOf(context)))
  }

  async function changePassword(context: Context): Promise<void> {
    // Without the means there is nothing to be wrong with.
    if (!authentication.changesPasswords) throw RestError.notFound('Changing passwords')
    const { password = '', newPassword } = await valuesInBody(context)
    if (typeof password !== 'string' || typeof newPassword !== 'string' || newPassword === '')
      throw RestError.validation([
        {
          code: 'ERR_REQUIRED',
          field: 'newPassword',
          text: 'Give the present "password" and a "newPassword", as texts.',
        },
      ])
    answerLogin(context, await authentication.changePassword(context, { password, newPassword }))
  }

  function answerLogin(context: Context, { principal, token }: Login): void {
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
  const { username, login = username, password = '' } = await valuesInBody(context)
  return typeof login === 'string' && login !== '' && typeof password === 'string' ? { login, password } : undefined
}

/** What a body holds as JSON or form; nothing without one. */
async function valuesInBody(context: Context): Promise<Readonly<Record<string, unknown>>> {
  const type = context.request.type
  if (type !== 'application/json' && type !== 'application/x-www-form-urlencoded') {
    if (context.request.length)
      throw new RestError('ERR_MEDIA_TYPE', 'Send the login as application/json or application/x-www-form-urlencoded.')
    return {}
  }
  const parsed: unknown = (context.request as { body?: unknown }).body
  const text = parsed === undefined ? (await readBytes(context.req, { bytes: bodyLimitBytes })).toString() : ''
  const values =
    parsed ?? (type === 'application/json' ? parseJson(text) : Object.fromEntries(new URLSearchParams(text)))
  return (values ?? {}) as Record<string, unknown>
}

/** Plain text, or JSON when `format=json`, `_output=json` or `Accept` ask for it. */
function answerBoth(context: Context, text: string, answer: object): void {
  const { format, _output: output } = context.query
  const json =
    format === 'json' || output === 'json' || context.accepts('text/plain', 'application/json') === 'application/json'
  if (json) send(context, 'koa', 200, textHeaders(), JSON.stringify(answer))
  else send(context, 'koa', 200, textHeaders('text/plain; charset=utf-8'), text)
}
