import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRefusals, createTokens, ensureSecretFile, grantOf, whyNot, withParts } from '@steward/manager-core'
import type { Action, GlobalSettings, ManagerContext } from '@steward/manager-core'
import type { Addressing } from '../addressing.js'
import { HttpError } from '../http-error.js'
import { createCertificateNameOf } from './certificate-name.js'
import { createIsOwnProxy } from './own-proxy.js'
import { createClientAddress } from './client-address.js'
import { credentialsOf } from './credentials.js'
import { createCurrentSettings } from './current-settings.js'
import { assertOwnPassword, defaultPassword, isFromThisMachine } from './default-password.js'
import { createDevices } from './device.js'
import { whyRefused } from './guard.js'
import type { Principal } from './principal.js'
import { isSameText } from './same-text.js'
import { createThrottle } from './throttle.js'

/** Who may do what over HTTP. */
export interface Access {
  /**
   * By a token, user and password, or a client certificate, in this order; who gives one that is wrong is not asked for
   * the next.
   *
   * @param response of a page: the browser is remembered, see `Throttle`
   * @throws HttpError 401 with a challenge; 403 for the default password from elsewhere; 429 after too many wrong ones
   */
  authenticate(request: IncomingMessage, response?: ServerResponse): Promise<Principal>
  /**
   * Whether the principal has the ability of the action, and the action is for its scope. Which instances it may touch,
   * the manager itself looks at (`Caller.instances`).
   *
   * @throws HttpError 403
   */
  authorize(principal: Principal, action: Action): void
  /**
   * The guard of wire-decisions for GET actions that change something: other sites must not make a browser do them.
   *
   * @param what the action, for the history
   * @throws HttpError 403 that says why
   */
  guard(request: IncomingMessage, principal: Principal, what?: string): void
  /** IP address that a request came from, as the trusted reverse proxies say. */
  addressOf(request: IncomingMessage): string
}

interface LogIn {
  readonly request: IncomingMessage
  readonly response: ServerResponse | undefined
  readonly address: string
  readonly user: string
  readonly password: string
}

/** @throws ManagerError ERR_SETTINGS when others could come in with the default password */
export function createAccess(
  context: Pick<ManagerContext, 'settings' | 'registry' | 'clock' | 'home'>,
  { isLoopback, prefix }: Addressing,
): Access {
  const settings = createCurrentSettings(context)
  assertOwnPassword(settings(), isLoopback)
  const tokens = createTokens(context)
  const refusals = createRefusals(context)
  const addressOf = createClientAddress({ isOwnProxy: createIsOwnProxy(context) })
  const certificateNameOf = createCertificateNameOf(context)
  const passwordOf = ({ password }: GlobalSettings) => password?.reveal() ?? defaultPassword
  const devices = createDevices(prefix, ensureSecretFile(context.home.deviceSecret), () => passwordOf(settings()))
  const throttle = createThrottle()

  return {
    addressOf: (request) => addressOf(request, settings()),

    async authenticate(request, response) {
      const now = settings()
      const address = addressOf(request, now)
      const { authorization } = request.headers
      const { token, user, password } = credentialsOf(authorization)
      if (token !== undefined) return byToken(token, address)
      if (user !== undefined && password !== undefined)
        return byPassword({ request, response, address, user, password }, now)
      const name = authorization === undefined ? certificateNameOf(request, now) : undefined
      if (name === undefined) throw unauthorized('User and password are needed.')
      return { actor: `certificate ${name}`, abilities: withParts(now.clientAbilities), address }
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

  function byToken(text: string, address: string): Principal {
    const token = tokens.use(text)
    if (token) return { actor: `token ${token.name}`, address, ...grantOf(token) }
    throw refused('unknown', address, 'The token is not known, or has expired.')
  }

  async function byPassword(
    { request, response, address, user, password }: LogIn,
    now: GlobalSettings,
  ): Promise<Principal> {
    const { userName, logInAttempts, baseUrl } = now
    const expected = passwordOf(now)
    const outcome = await throttle.attempt({ address, device: devices.of(request) }, logInAttempts, () =>
      isSameText(JSON.stringify([user, password]), JSON.stringify([userName, expected])),
    )
    const actor = user === userName ? user : 'unknown'
    if (typeof outcome === 'object') throw tooMany(outcome.waitSeconds)
    if (!outcome) throw refused(actor, address, 'User or password is wrong.')
    if (expected === defaultPassword && !isFromThisMachine(request, address)) {
      note({ actor, address }, 'log-in', 'The default password is for this machine only.')
      throw new HttpError(403, 'ERR_ACCESS', 'The default password is for this machine only.', {
        help: 'Set APPS_PASSWORD in config.sh.',
      })
    }
    if (response) devices.remember(request, response, baseUrl.startsWith('https:'))
    return { actor, abilities: withParts(['admin', 'sensitive']), address }
  }

  function note({ actor, address }: Pick<Principal, 'actor' | 'address'>, action: string, reason: string): void {
    refusals.note({ caller: { actor, surface: 'api', address }, action, reason })
  }

  function refused(actor: string, address: string, message: string): HttpError {
    note({ actor, address }, 'log-in', message)
    return unauthorized(message)
  }

  function unauthorized(message: string): HttpError {
    const realm = settings().realmName.replaceAll(/[^\x20-\x7E]|["\\]/g, '')
    return new HttpError(401, 'ERR_ACCESS', message, {
      headers: { 'WWW-Authenticate': `Basic realm="${realm}", charset="UTF-8"` },
    })
  }
}

function tooMany(seconds: number): HttpError {
  return new HttpError(429, 'ERR_ACCESS', `There were too many wrong passwords; try again in ${seconds} seconds.`, {
    headers: { 'Retry-After': String(seconds) },
    help: 'Tokens and the command line still work.',
  })
}
