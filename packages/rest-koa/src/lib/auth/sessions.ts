import type { Principal } from '@steward/rest-core'
import type { Context } from 'koa'
import type { ClientAddress } from '../http/client-address.js'
import type { Verified } from './credential-cache.js'
import type { Token } from './tokens.js'
import type { Verifier } from './verifier.js'

/** The name that clients know. Source: docs/spec/rest-service.md, "Authentication", rule 3. */
const name = 'JSESSIONID'

export interface SessionsOptions {
  readonly client: ClientAddress
  readonly verifier: Verifier
  /** @param id to renew a token. */
  readonly issueToken: (principal: Principal, id?: string) => Promise<Token & { readonly token: string }>
  /** How long a token works. */
  readonly lifetimeMs: number
}

/** Sessions that a cookie stands for. It holds a token, so that nothing is kept here. */
export interface Sessions {
  /** The session of the cookie, which continues; `undefined` when there is none, or it is over or wrong. */
  find(context: Context): Promise<Verified | undefined>
  begin(context: Context, principal: Principal): Promise<Verified>
  /** Sets the cookie; `null` removes it. Code of pages cannot read it, and pages of other sites do not send it. */
  setCookie(context: Context, token: string | null): void
}

export function createSessions({ client, verifier, issueToken, lifetimeMs }: SessionsOptions): Sessions {
  return { find, begin, setCookie }

  async function find(context: Context): Promise<Verified | undefined> {
    const text = context.cookies.get(name, { signed: false })
    const found = text === undefined ? undefined : await verifier.verifyHiddenToken(text)
    if (found?.expires !== undefined && found.expires - Date.now() < lifetimeMs / 2) {
      const { token } = await issueToken(found.principal, found.session.id)
      setCookie(context, token)
    }
    return found
  }

  async function begin(context: Context, principal: Principal): Promise<Verified> {
    const { token, id } = await issueToken(principal)
    setCookie(context, token)
    return { principal, session: { id } }
  }

  function setCookie({ cookies, req, res }: Context, token: string | null): void {
    // A stream that continues asks again who it belongs to.
    if (res.headersSent) return
    // Koa itself knows of TLS up to here, and of TLS up to a proxy only when the application trusts all of them.
    if (client.isForwardedTls(req)) cookies.secure = true
    cookies.set(name, token, { httpOnly: true, sameSite: 'strict', path: '/', signed: false, overwrite: true })
  }
}
