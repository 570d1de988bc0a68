import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createRefusals,
  createSessions,
  createTokens,
  ensureSecretFile,
  fullGrant,
  grantOf,
  isTokenText,
  whyNot,
  withParts,
} from '@steward/manager-core'
import type { Action, GlobalSettings, ManagerContext, Secret, Token } from '@steward/manager-core'
import type { Addressing } from '../addressing.js'
import { HttpError } from '../http-error.js'
import { callerOf } from './caller-of.js'
import { createCertificateNameOf } from './certificate-name.js'
import { createIsOwnProxy } from './own-proxy.js'
import { createClientAddress, isLoopback as isLoopbackAddress } from './client-address.js'
import { credentialsOf } from './credentials.js'
import { createCurrentSettings } from './current-settings.js'
import { assertOwnPassword, defaultPassword, isFromThisMachine } from './default-password.js'
import { createDevices } from './device.js'
import { isFromPages, whyRefused } from './guard.js'
import { cameByHttps } from './came-by-https.js'
import { peerUser } from './peer-user.js'
import type { Principal } from './principal.js'
import { isSameText } from './same-text.js'
import { createSessionCookie } from './session-cookie.js'
import { createThrottle } from './throttle.js'
import { Tickets } from './tickets.js'

/** Who may do what over HTTP. */
export interface Access {
  /**
   * By a token, user and password, a session of the pages, or a client certificate, in this order; who gives one of the
   * first two that is wrong is not asked for the next. A session that has ended is as none.
   *
   * @param response of a page: the browser is remembered, see `Throttle`
   * @throws HttpError 401, with a challenge unless one of our pages asks; 403 for the default password from elsewhere;
   *   429 after too many wrong ones
   */
  authenticate(request: IncomingMessage, response?: ServerResponse): Promise<Principal>
  /** Like `authenticate`; undefined: the request gives nothing. */
  find(request: IncomingMessage, response?: ServerResponse): Promise<Principal | undefined>
  /** Whether a browser that opens a page need not sign in first; this proves too little to show any data. */
  isSignedIn(request: IncomingMessage): boolean
  /**
   * Opens a session of the pages, which takes the place of the one that the browser has.
   *
   * @throws HttpError as `authenticate`
   */
  signIn(request: IncomingMessage, response: ServerResponse, given: GivenPassword): Promise<SignedIn>
  /** Ends the session of the request, if there is one, and makes the browser forget its cookie. */
  signOut(request: IncomingMessage, response: ServerResponse): void
  /** A ticket for one download, within a short time: a link sends no header. */
  issueTicket(principal: Principal): string
  /** @throws HttpError 401 */
  redeemTicket(ticket: string): Principal
  /**
   * Whether the principal has the ability of the action, and the action is for its scope. Which instances it may touch,
   * the manager itself looks at (`Caller.grant`).
   *
   * @throws HttpError 403
   */
  authorize(principal: Principal, action: Action): void
  /**
   * The guard of docs/spec/wire-decisions.md for GET actions that change something: other sites must not make a browser
   * do them.
   *
   * @param what the action, for the history
   * @throws HttpError 403 that says why
   */
  guard(request: IncomingMessage, principal: Pick<Principal, 'actor' | 'address'>, what?: string): void
  /** IP address that a request came from, as the trusted reverse proxies say. */
  addressOf(request: IncomingMessage): string
}

/** What the user typed. */
export interface GivenPassword {
  readonly user: string
  /** Or a token. */
  readonly password: string
  /** Whether the session outlives the browser. */
  readonly stays: boolean
}

export interface SignedIn {
  readonly principal: Principal
  /** What the pages send as `X-Manager-Session`. */
  readonly key: Secret
}

interface LogIn {
  readonly request: IncomingMessage
  readonly response: ServerResponse | undefined
  readonly address: string
  readonly user: string
  readonly password: string
}

const nothingGiven = 'User and password are needed.'
/** How long a link may take to be followed. */
const ticketLifeMs = 30_000

/** @throws ManagerError ERR_SETTINGS when others could come in with the default password */
export function createAccess(
  context: Pick<ManagerContext, 'settings' | 'registry' | 'clock' | 'home'>,
  { isLoopback, prefix }: Addressing,
): Access {
  const settings = createCurrentSettings(context)
  assertOwnPassword(settings(), isLoopback)
  const refusals = createRefusals(context)
  const addressOf = createClientAddress({ isOwnProxy: createIsOwnProxy(context) })
  const certificateNameOf = createCertificateNameOf(context)
  const passwordOf = ({ password }: GlobalSettings) => password?.reveal() ?? defaultPassword
  const secret = ensureSecretFile(context.home.deviceSecret)
  const devices = createDevices(prefix, secret, () => passwordOf(settings()))
  const cookie = createSessionCookie(prefix, secret)
  const { registry, clock, home } = context
  const sessions = createSessions({
    registry,
    clock,
    home,
    settings: {
      get global() {
        return settings()
      },
    },
  })
  const throttle = createThrottle()
  const tickets = new Tickets<Principal>({ lifeMs: ticketLifeMs })
  const tokens = createTokens(context)

  return {
    addressOf: (request) => addressOf(request, settings()),

    async authenticate(request, response) {
      const principal = await find(request, response)
      if (principal) return principal
      throw unauthorized(request, nothingGiven)
    },

    find,

    isSignedIn: (request) =>
      cookie.of(request).some(sessions.has) || certificateNameOf(request, settings()) !== undefined,

    async signIn(request, response, { user, password, stays }) {
      const now = settings()
      const address = addressOf(request, now)
      const { known, signedIn } = isTokenText(password)
        ? byToken(tokenOf(password, request, address), address)
        : {
            known: await byPassword({ request, response, address, user, password }, now),
            signedIn: { by: 'password', checked: now } as const,
          }
      if (!known.grant.abilities.has('read'))
        throw new HttpError(403, 'ERR_ACCESS', 'The pages need the ability "read".')
      const before = bySession(request, address, now)?.session
      if (before) sessions.close(before.id, callerOf(known))
      const opened = sessions.open(callerOf(known), { signedIn, stays })
      cookie.set(response, opened.secret, opened.session, cameByHttps(request, now))
      return { principal: { ...known, session: opened.session }, key: opened.key }
    },

    signOut(request, response) {
      const now = settings()
      const principal = bySession(request, addressOf(request, now), now)
      if (principal?.session) sessions.close(principal.session.id, callerOf(principal))
      cookie.clear(response, cameByHttps(request, now))
    },

    issueTicket: (principal) => tickets.issue(principal),

    redeemTicket(ticket) {
      const principal = tickets.redeem(ticket)
      if (principal?.holds()) return principal
      throw new HttpError(401, 'ERR_ACCESS', 'The ticket was used, or is too old.')
    },

    authorize(principal, action) {
      const reason = whyNot(action, principal)
      if (reason === undefined) return
      note(principal, action.name, reason)
      throw new HttpError(403, 'ERR_ACCESS', reason)
    },

    guard({ headers }, principal, what = 'change') {
      const reason = whyRefused(headers)
      if (reason === undefined) return
      note(principal, what, reason)
      throw new HttpError(403, 'ERR_ACCESS', `This changes something, and was refused: ${reason}.`, {
        help: 'Use the pages at /ui. Programs send the header "X-Manager-Request: 1", or a token (Authorization: Bearer).',
      })
    },
  }

  async function find(request: IncomingMessage, response?: ServerResponse): Promise<Principal | undefined> {
    const now = settings()
    const address = addressOf(request, now)
    const { authorization } = request.headers
    const { token, user, password } = credentialsOf(authorization)
    if (token !== undefined) return principalOf(tokenOf(token, request, address), address)
    if (user !== undefined && password !== undefined)
      return byPassword({ request, response, address, user, password }, now)
    if (authorization !== undefined) throw unauthorized(request, nothingGiven)
    const session = bySession(request, address, now)
    if (session) return session
    const name = certificateNameOf(request, now)
    return name === undefined
      ? undefined
      : {
          actor: `certificate ${name}`,
          grant: { abilities: withParts(now.clientAbilities), scope: { all: true } },
          address,
          // Its connection proved it, which may be closed by now: nothing is left to look at.
          holds: () => true,
        }
  }

  function tokenOf(text: string, request: IncomingMessage, address: string): Token {
    const token = tokens.use(text)
    if (token) return token
    throw refused(request, 'unknown', address, 'The token is not known, or has expired.')
  }

  function principalOf(token: Token, address: string): Principal {
    const holds = () => tokens.byId(token.id) !== undefined
    return { actor: `token ${token.name}`, address, grant: grantOf(token), holds }
  }

  function byToken(token: Token, address: string) {
    return { known: principalOf(token, address), signedIn: { by: 'token', token } as const }
  }

  /** Undefined: the request has no session, or one that has ended. */
  function bySession(request: IncomingMessage, address: string, now: GlobalSettings): Principal | undefined {
    const key = request.headers[sessionHeader]
    if (typeof key !== 'string') return undefined
    const found = cookie
      .of(request)
      .map((value) => sessions.use(value, key))
      .find((one) => one !== undefined)
    if (!found) return undefined
    const { session, signedIn } = found
    const holds = () => sessions.isOpen(session.id)
    if (signedIn.by === 'token') return { ...principalOf(signedIn.token, address), session, holds }
    const { actor } = session
    if (passwordOf(now) === defaultPassword && !isFromThisMachine(request, address)) throw fromElsewhere(actor, address)
    return { actor, grant: fullGrant, address, session, holds }
  }

  async function byPassword(
    { request, response, address, user, password }: LogIn,
    now: GlobalSettings,
  ): Promise<Principal> {
    const { userName, logInAttempts } = now
    const expected = passwordOf(now)
    const holds = (current = settings()) =>
      isSameText(JSON.stringify([user, password]), JSON.stringify([current.userName, passwordOf(current)]))
    // An address that a proxy reports is not that of the connection.
    const isDirect = isLoopbackAddress(address)
    const from = { address, device: devices.of(request), user: isDirect ? await peerUser(request.socket) : undefined }
    const outcome = await throttle.attempt(from, logInAttempts, () => holds(now))
    const actor = user === userName ? user : 'unknown'
    if (typeof outcome === 'object') throw tooMany(outcome.waitSeconds)
    if (!outcome) throw refused(request, actor, address, 'User or password is wrong.')
    if (expected === defaultPassword && !isFromThisMachine(request, address)) throw fromElsewhere(actor, address)
    if (response) devices.remember(request, response, cameByHttps(request, now))
    return { actor, grant: fullGrant, address, holds: () => holds() }
  }

  function note({ actor, address }: Pick<Principal, 'actor' | 'address'>, action: string, reason: string): void {
    refusals.note({ caller: { actor, surface: 'api', address }, action, reason })
  }

  function refused(request: IncomingMessage, actor: string, address: string, message: string): HttpError {
    note({ actor, address }, 'log-in', message)
    return unauthorized(request, message)
  }

  function fromElsewhere(actor: string, address: string): HttpError {
    const message = 'The default password is for this machine only.'
    note({ actor, address }, 'log-in', message)
    return new HttpError(403, 'ERR_ACCESS', message, { help: 'Set APPS_PASSWORD in config.sh.' })
  }

  /** A browser would show a box of its own over a page that asks for the password itself. */
  function unauthorized({ headers }: IncomingMessage, message: string): HttpError {
    const realm = settings().realmName.replaceAll(/[^\x20-\x7E]|["\\]/g, '')
    return new HttpError(401, 'ERR_ACCESS', message, {
      ...(!isFromPages(headers) && {
        headers: { 'WWW-Authenticate': `Basic realm="${realm}", charset="UTF-8"` },
      }),
    })
  }
}

/** Half of what proves a session; the pages keep it per origin. */
const sessionHeader = 'x-manager-session'

function tooMany(seconds: number): HttpError {
  return new HttpError(429, 'ERR_ACCESS', `There were too many wrong passwords; try again in ${seconds} seconds.`, {
    headers: { 'Retry-After': String(seconds) },
    help: 'Tokens and the command line still work.',
  })
}
