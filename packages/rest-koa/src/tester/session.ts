import { t } from './i18n.js'
import type { Settings } from './settings.js'
import { failureOf, ServiceFailure } from './service-failure.js'
import type { FailureBody } from './service-failure.js'

/** Who sends requests. A password is only ever in memory; a token also outlives a reload of the tab. */
export type Session =
  | { readonly kind: 'password'; readonly login: string; readonly authorization: string }
  | { readonly kind: 'token'; readonly login: string; readonly authorization: string; readonly expires: number }
  | { readonly kind: 'nobody'; readonly login: '' }

export interface Entered {
  readonly kind: Session['kind']
  readonly login: string
  readonly password: string
}

const storageKey = 'steward-tester-session'

/** Headers that make a request the user's. */
export function credentialsOf(session: Session): Record<string, string> {
  return session.kind === 'nobody' ? {} : { Authorization: session.authorization }
}

/** The session of this tab before it was reloaded, if it went by token. */
export function restoreSession(now = Date.now()): Session | undefined {
  try {
    const session = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as Session | null
    return session?.kind === 'token' && session.expires > now ? session : undefined
  } catch {
    return undefined
  }
}

/**
 * Checks what was entered by asking the service.
 *
 * @throws ServiceFailure what it answered; TypeError when it cannot be reached.
 */
export async function signIn(settings: Settings, { kind, login, password }: Entered): Promise<Session> {
  if (kind === 'token' && settings.login !== undefined) {
    const answer = await ask(settings.login, { method: 'POST', headers: basic(login, password) })
    const { authtoken, authtokenexpiry: expires } = answer as { authtoken: string; authtokenexpiry: number }
    const session: Session = { kind, login, authorization: `Bearer ${authtoken}`, expires }
    keep(JSON.stringify(session))
    return session
  }
  const session: Session =
    kind === 'nobody'
      ? { kind, login: '' }
      : { kind: 'password', login, authorization: basic(login, password).Authorization }
  await ask(`${settings.rest}/?session=true`, { headers: credentialsOf(session) })
  return session
}

/** Forgets the session here, and on the server when it went by token. */
export async function signOut({ logout }: Settings, session: Session): Promise<void> {
  keep(undefined)
  if (session.kind !== 'token' || logout === undefined) return
  // It may have ended by itself; then there is nothing to revoke.
  await ask(logout, { method: 'POST', headers: credentialsOf(session) }).catch(() => undefined)
}

function keep(text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(storageKey)
    else sessionStorage.setItem(storageKey, text)
  } catch {
    // A browser that keeps nothing asks again after a reload.
  }
}

function basic(login: string, password: string): { Authorization: string } {
  const bytes = new TextEncoder().encode(`${login}:${password}`)
  return { Authorization: `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}` }
}

/** Says that code calls: the page of another site could not add it, and the browser asks for no password after a 401. */
export const ownHeaders = { 'X-Requested-With': 'tester' }

/** Calls for the page itself, not for its user. Cookies, and passwords that the browser keeps, stay out of it. */
export async function ask(url: string, init: RequestInit = {}): Promise<unknown> {
  const { status, text } = await askText(url, {
    ...init,
    headers: { Accept: 'application/json', ...ownHeaders, ...headersOf(init) },
  })
  try {
    return JSON.parse(text)
  } catch {
    throw new ServiceFailure(status, t('noJson', { url, status: String(status) }))
  }
}

/** The same for what is not JSON. @throws ServiceFailure */
export async function askText(url: string, init: RequestInit = {}): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { ...init, credentials: 'omit' })
  const { ok, status } = response
  const text = await response.text()
  if (!ok) throw new ServiceFailure(status, failureIn(text)?.error ?? t('status', { status: String(status) }))
  return { status, text }
}

function failureIn(text: string): FailureBody | undefined {
  try {
    return failureOf(JSON.parse(text))
  } catch {
    return undefined
  }
}

function headersOf({ headers }: RequestInit): Record<string, string> {
  return headers as Record<string, string>
}
