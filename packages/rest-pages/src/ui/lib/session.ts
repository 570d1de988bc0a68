import { createStore, useStore } from '@steward/page-kit'
import { createClient, RestClientError, type AnyRecord, type Client } from '@steward/rest-client'
import { settings } from './settings.js'

/** Who uses the pages. */
export type Session =
  /** It is being found out. */
  | { readonly kind: 'starting' }
  /** Somebody has to sign in; `ended`: again, because the token is no longer taken. */
  | { readonly kind: 'out'; readonly ended: boolean }
  | { readonly kind: 'in'; readonly login: string; readonly byToken: boolean }

interface Kept {
  readonly login: string
  readonly token: string
  /** Milliseconds since 1970. */
  readonly expires: number
}

const key = `steward.session ${settings.rest}`
const session = createStore<Session>({ kind: 'starting' })
let kept = readKept()

/** The service as the user sees it, by the public REST API alone. */
export const client: Client<Record<string, AnyRecord>> = createClient({
  url: settings.rest,
  credentials: () => kept && { token: kept.token },
  async fetch(input, init) {
    const response = await fetch(input, init)
    if (response.status === 401 && session.get().kind === 'in') end(true)
    return response
  },
})

export function useSession(): Session {
  return useStore(session)
}

/** Finds out who uses the pages: by the token of before, or without one, which a public user or the application allows. */
export async function start(): Promise<void> {
  try {
    const { user } = await client.info()
    session.set({ kind: 'in', login: String(user.login), byToken: kept !== undefined })
  } catch (failure) {
    if (!RestClientError.is(failure) || failure.status !== 401) throw failure
    end(false)
  }
}

/**
 * @param stay also after the browser was closed
 * @throws RestClientError
 */
export async function signIn(login: string, password: string, stay: boolean): Promise<void> {
  const { authtoken, authtokenexpiry } = await createClient({
    url: settings.rest,
    credentials: { login, password },
  }).login()
  kept = { login, token: authtoken, expires: authtokenexpiry }
  keep(stay ? localStorage : sessionStorage)
  session.set({ kind: 'in', login, byToken: true })
}

/** Forgets the token here and on the server. */
export async function signOut(): Promise<void> {
  const ended = kept
  end(false)
  if (!ended) return
  // The token may have ended by itself; then there is nothing to revoke.
  await fetch(new URL('logout', settings.rest).href, {
    method: 'POST',
    credentials: 'omit',
    headers: { Authorization: `Bearer ${ended.token}`, 'X-Requested-With': 'rest-pages' },
  }).catch(() => undefined)
}

function end(hasEnded: boolean): void {
  kept = undefined
  keep()
  session.set({ kind: 'out', ended: hasEnded })
}

function keep(storage?: Storage): void {
  for (const one of [localStorage, sessionStorage]) one.removeItem(key)
  storage?.setItem(key, JSON.stringify(kept))
}

function readKept(): Kept | undefined {
  const text = sessionStorage.getItem(key) ?? localStorage.getItem(key)
  const read = text === null ? undefined : (JSON.parse(text) as Kept)
  return read && read.expires > Date.now() ? read : undefined
}
