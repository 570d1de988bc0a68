import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import { send, textHeaders } from '../http/answer.js'
import type { Log } from '../http/log.js'
import { refuseForeignPage } from '../http/refuse-foreign-page.js'
import { sendError } from '../http/send-error.js'
import { normalisePrefixes } from '../router/address.js'
import { readBytes } from '../router/body.js'
import { parseJson } from '../router/json.js'
import { ServiceRouter } from '../routing/service-router.js'
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

const bodyTypes: readonly string[] = ['application/json', 'application/x-www-form-urlencoded']

/**
 * `/api/login` gives a token for a password, `/api/logout` revokes it; GET or POST, plain text or JSON. The password comes by
 * basic authentication, or in a POST as JSON or form (`username` or `login`, `password`); never in the address, which is logged.
 * A POST to `/api/password` gives the caller another password (`password`, `newPassword`) and a token.
 *
 * Its routes are named `login`, `logout` and `password`.
 *
 * Source: docs/spec/wire-decisions.md, "authentication".
 */
export function loginRouter(
  authentication: Authentication,
  { prefix = '/api', log }: LoginRouterOptions = {},
): ServiceRouter {
  const router = new ServiceRouter({ prefixes: normalisePrefixes(prefix), strict: true })
  router.serve('login', '/login', answered(login, ['GET', 'POST']))
  router.serve('logout', '/logout', answered(logout, ['GET', 'POST']))
  router.serve('password', '/password', answered(changePassword, ['POST']))
  return router

  function answered(action: (context: Context) => Promise<void>, methods: readonly string[]) {
    return async (context: Context): Promise<void> => {
      try {
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
  }

  async function login(context: Context): Promise<void> {
    const values = await bodyBeside(context)
    const isJson = wantsJson(context, values)
    answerLogin(context, await authentication.login(context, await passwordOf(context, values)), isJson)
  }

  async function changePassword(context: Context): Promise<void> {
    // Without the means there is nothing to be wrong with.
    if (!authentication.changesPasswords) throw RestError.notFound('Changing passwords')
    const values = await valuesInBody(context)
    const { password = '', newPassword } = values
    const isJson = wantsJson(context, values)
    if (typeof password !== 'string' || typeof newPassword !== 'string' || newPassword === '')
      throw RestError.validation([
        {
          code: 'ERR_REQUIRED',
          field: 'newPassword',
          text: 'Give the present "password" and a "newPassword", as texts.',
        },
      ])
    answerLogin(context, await authentication.changePassword(context, { password, newPassword }), isJson)
  }

  function answerLogin(context: Context, { principal, token }: Login, isJson: boolean): void {
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
    answerBoth(context, isJson ? answer : token.token)
  }

  async function logout(context: Context): Promise<void> {
    const isJson = wantsJson(context, await bodyBeside(context))
    await authentication.logout(context)
    answerBoth(context, isJson ? { status: 'OK' } : 'OK')
  }

  /** What a body says; one that needs none, since a header has the credentials, may be of any type. */
  async function bodyBeside(context: Context): Promise<BodyValues> {
    if (context.method !== 'POST') return {}
    const isNeeded = authentication.headerOf(context) === undefined
    return isNeeded || bodyTypes.includes(context.request.type) ? valuesInBody(context, { isNeeded }) : {}
  }

  async function passwordOf(context: Context, values: BodyValues): Promise<LoginAndPassword | undefined> {
    const header = authentication.headerOf(context)
    if (header !== undefined) {
      const credentials = readAuthorization(header)
      return credentials?.kind === 'password' ? credentials : undefined
    }
    return passwordIn(values)
  }
}

type BodyValues = Readonly<Record<string, unknown>>

function passwordIn({ username, login = username, password = '' }: BodyValues): LoginAndPassword | undefined {
  return typeof login === 'string' && login !== '' && typeof password === 'string' ? { login, password } : undefined
}

/** What a body has as JSON or form; nothing without one. One that is announced as JSON may be empty when it is not needed. */
async function valuesInBody(context: Context, { isNeeded = true } = {}): Promise<BodyValues> {
  const type = context.request.type
  if (!bodyTypes.includes(type)) {
    if (context.request.length)
      throw new RestError('ERR_MEDIA_TYPE', 'Send the login as application/json or application/x-www-form-urlencoded.')
    return {}
  }
  const parsed: unknown = (context.request as { body?: unknown }).body
  const text = parsed === undefined ? (await readBytes(context.req, { bytes: bodyLimitBytes })).toString() : ''
  if (parsed === undefined && text.trim() === '' && !isNeeded) return {}
  const values =
    parsed ?? (type === 'application/json' ? parseJson(text) : Object.fromEntries(new URLSearchParams(text)))
  return (values ?? {}) as BodyValues
}

/**
 * Whether JSON is wanted: `format` or `_output`, in the address or in the body, is `json` (or `text`), or else `Accept` says so.
 *
 * @throws RestError ERR_BAD_REQUEST
 */
function wantsJson(context: Context, values: BodyValues): boolean {
  for (const name of ['format', '_output']) {
    const given = context.query[name] ?? values[name]
    if (given === 'json' || given === 'text') return given === 'json'
    if (given !== undefined)
      throw new RestError(
        'ERR_BAD_REQUEST',
        `Parameter "${name}" is "${String(given).slice(0, 100)}"; give json or text.`,
      )
  }
  return context.accepts('text/plain', 'application/json') === 'application/json'
}

/** A text as it is, anything else as JSON. */
function answerBoth(context: Context, answer: string | object): void {
  if (typeof answer === 'object') send(context, 'koa', 200, textHeaders(), JSON.stringify(answer))
  else send(context, 'koa', 200, textHeaders('text/plain; charset=utf-8'), answer)
}
