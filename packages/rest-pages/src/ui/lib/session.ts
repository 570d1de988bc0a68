import { createStore, useStore } from '@steward/page-kit'
import { createClient, RestClientError, type AnyRecord, type Client } from '@steward/rest-client'
import { settings } from './settings.js'
import { viewAs } from './view-as.js'

/** Who uses the pages. */
export type Session =
  /** It is being found out. */
  | { readonly kind: 'starting' }
  /** A user has to sign in; `ended`: again, because the token is no longer taken. */
  | { readonly kind: 'out'; readonly ended: boolean }
  | { readonly kind: 'in'; readonly login: string; readonly byToken: boolean }

interface Kept {
  readonly login: string
  readonly token: string
  /** Milliseconds since 1970. */
  readonly expires: number
}

/** First part of the keys of what was typed and not saved. */
export const draftPrefix = 'steward.draft '

const key = `steward.session ${settings.rest}`
const session = createStore<Session>({ kind: 'starting' })
let kept = readKept()

/** The service as the user sees it, by the public REST API alone. */
export const client: Client<Record<string, AnyRecord>> = createClient({
  url: settings.rest,
  credentials,
  viewAs: () => viewAs.get()?.login,
  async fetch(input, init) {
    const response = await fetch(input, init)
    noteAnswer(response)
    return response
  },
})

/** What calls carry; nothing: the application knows the user by itself. */
export function credentials(): { readonly token: string } | undefined {
  return kept && { token: kept.token }
}

/** The session ends with the first call that is refused for it. */
export function noteAnswer({ status }: Response): void {
  if (status === 401 && session.get().kind === 'in') end(true)
}

export function useSession(): Session {
  return useStore(session)
}

/** Finds out who uses the pages: by the token of before, or without one, which a public user or the application allows. */
export async function start(): Promise<void> {
  try {
    const { user } = await client.info()
    session.set({ kind: 'in', login: viewAs.get()?.by ?? String(user.login), byToken: kept !== undefined })
  } catch (failure) {
    if (RestClientError.is(failure) && [400, 403].includes(failure.status) && viewAs.get()) {
      // The other user is switched off, or this one is no longer an administrator.
      viewAs.set(undefined)
      return start()
    }
    if (!RestClientError.is(failure) || failure.status !== 401) throw failure
    end(false)
  }
}

/**
 * @param stay also after the browser was closed
 * @throws RestClientError
 */
export async function signIn(login: string, password: string, stay: boolean): Promise<void> {
  const given = await createClient({ url: settings.rest, credentials: { login, password } }).login()
  keep(stay ? localStorage : sessionStorage, { login, token: given.authtoken, expires: given.authtokenexpiry })
  if (viewAs.get()?.by !== login) viewAs.set(undefined)
  session.set({ kind: 'in', login, byToken: true })
}

/** A new password ends the tokens of before; the one that comes with it is kept where that of before was. @throws RestClientError */
export async function changePassword(password: string, newPassword: string): Promise<void> {
  const { login, authtoken, authtokenexpiry } = await createClient({ url: settings.rest, credentials }).changePassword(
    password,
    newPassword,
  )
  const stays = localStorage.getItem(key) !== null
  keep(stays ? localStorage : sessionStorage, { login, token: authtoken, expires: authtokenexpiry })
}

/** Forgets the token here and on the server. */
export async function signOut(): Promise<void> {
  const ended = kept
  end(false)
  viewAs.set(undefined)
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(draftPrefix)) sessionStorage.removeItem(name)
  if (!ended) return
  // The token may have ended by itself; then there is nothing to revoke.
  await fetch(new URL('logout', settings.rest).href, {
    method: 'POST',
    credentials: 'omit',
    headers: { Authorization: `Bearer ${ended.token}`, 'X-Requested-With': 'rest-pages' },
  }).catch(() => undefined)
}

function end(hasEnded: boolean): void {
  keep()
  session.set({ kind: 'out', ended: hasEnded })
}

function keep(storage?: Storage, given?: Kept): void {
  kept = given
  for (const one of [localStorage, sessionStorage]) one.removeItem(key)
  storage?.setItem(key, JSON.stringify(kept))
}

function readKept(): Kept | undefined {
  const text = sessionStorage.getItem(key) ?? localStorage.getItem(key)
  const read = text === null ? undefined : (JSON.parse(text) as Kept)
  return read && read.expires > Date.now() ? read : undefined
}
