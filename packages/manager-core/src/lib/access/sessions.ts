import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { randomId } from '../domain/names.js'
import { Secret } from '../domain/secret.js'
import { ensureSecretFile } from '../files/secret-file.js'
import { writeEntry, type HistoryCaller } from '../history/write-entry.js'
import type { GlobalSettings } from '../settings/settings.js'
import type { RegistryWriter } from '../store/registry.js'
import { createSessionRows, type SessionRow } from '../store/session-rows.js'
import { createTokens, type Token } from './tokens.js'

/** A browser that is signed in to the pages. Dates are ISO 8601 in UTC. */
export interface Session {
  readonly id: string
  /** For the history: the user, or `token <name>`. */
  readonly actor: string
  /** IP address that it was opened from. */
  readonly address: string
  /** Whether it outlives the browser. */
  readonly stays: boolean
  readonly created: string
  /** To the minute. */
  readonly lastUsed: string
  /** When it ends, however much it is used. */
  readonly expires: string
}

/** What a session was opened with, and still holds. */
export type SignedIn = { readonly by: 'password' } | { readonly by: 'token'; readonly token: Token }

/** What opens a session: the user and password of these settings, or a token. */
export type CheckedCredential =
  | { readonly by: 'password'; readonly checked: Pick<GlobalSettings, 'userName' | 'password'> }
  | { readonly by: 'token'; readonly token: Token }

interface HeldSession {
  readonly row: SessionRow
  readonly signedIn: SignedIn
}

export interface OpenedSession {
  readonly session: Session
  /** For the cookie. */
  readonly secret: Secret
  /** For the pages, which send it beside the cookie. */
  readonly key: Secret
}

/**
 * Sessions of the pages. A browser has two secrets for one: a cookie, which no page can read, and a key, which it keeps
 * per origin and no other port or name of the same host gets. Only hashes of both are stored.
 */
export interface Sessions {
  /** Those that hold, newest first. */
  list(): readonly Session[]
  /**
   * Opens one, and writes it into the history.
   *
   * @param signedIn what was checked: a password that is changed since then opens nothing
   */
  open(caller: HistoryCaller, how: { readonly signedIn: CheckedCredential; readonly stays: boolean }): OpenedSession
  /** The session of a cookie and its key, and writes down that it was used. Undefined: there is none, or it has ended. */
  use(secret: string, key: string): { readonly session: Session; readonly signedIn: SignedIn } | undefined
  /** Whether the cookie is one of a session that holds; this proves too little to show anything. */
  has(secret: string): boolean
  /** Whether the one of this id holds. */
  isOpen(id: string): boolean
  /** Ends one at the wish of its user, and writes it into the history. */
  close(id: string, caller: HistoryCaller): void
  /** Ends one. @throws ManagerError ERR_NOT_FOUND */
  remove(id: string): Session
}

export interface SessionsContext extends Pick<ManagerContext, 'registry' | 'clock' | 'home'> {
  readonly settings: Pick<ManagerContext['settings'], 'global'>
}

const hourMs = 3_600_000
/** Not specified; chosen as a day of work, and a month of it. `idleMs`: without use; `mostMs`: in any case. */
const limits = {
  usual: { idleMs: 12 * hourMs, mostMs: 24 * hourMs },
  staying: { idleMs: 7 * 24 * hourMs, mostMs: 30 * 24 * hourMs },
}
/** How exact `lastUsed` is, so that not every request writes. */
const usedEveryMs = 60_000
/** The oldest make room: nothing that signs in over and over fills the disk. */
const most = 100

/** A secret has 256 bits, so that a plain hash of it reveals nothing. */
const pattern = /^[\w-]{43}$/

/** Sessions of the pages, in the registry of a home; only hashes of their secrets are stored. */
export function createSessions({ registry, clock, settings, home }: SessionsContext): Sessions {
  const rows = createSessionRows(registry)
  const tokens = createTokens({ registry, clock })
  let deviceSecret: Secret | undefined

  return {
    list: () => rows.all().filter(isHeld).map(sessionOf),

    open(caller, { signedIn, stays }) {
      const now = clock()
      const [secret, key] = [randomSecret(), randomSecret()]
      const { mostMs } = stays ? limits.staying : limits.usual
      const row: SessionRow = {
        hash: hashOf(secret),
        id: randomId(),
        key_hash: hashOf(key),
        credential: signedIn.by === 'password' ? credentialOf(signedIn.checked) : '',
        token: signedIn.by === 'token' ? signedIn.token.id : null,
        actor: caller.actor,
        address: caller.address ?? '',
        stays: stays ? 1 : 0,
        created: now.toISOString(),
        last_used: now.toISOString(),
        expires: new Date(now.getTime() + mostMs).toISOString(),
      }
      registry.transaction((writer) => {
        const all = rows.all()
        const kept = all.filter(isHeld).slice(0, most - 1)
        for (const { id } of all.filter((one) => !kept.includes(one))) rows.remove(id)
        rows.insert(row)
        note(writer, caller, 'log-in', `Signed in: session "${row.id}".`)
      })
      return { session: sessionOf(row), secret: new Secret(secret), key: new Secret(key) }
    },

    use(secret, key) {
      const isKeyOf = (row: SessionRow) => pattern.test(key) && isSame(hashOf(key), row.key_hash)
      const found = heldBy(secret)
      if (!found || !isKeyOf(found.row)) return undefined
      const now = clock()
      if (now.getTime() - Date.parse(found.row.last_used) < usedEveryMs) return answer(found)
      noteUse(found.row.id, now)
      // The write may have waited for seconds: what was read before it says nothing about now.
      const still = heldBy(secret)
      return still && isKeyOf(still.row) ? answer(still) : undefined
    },

    has: (secret) => heldBy(secret) !== undefined,

    isOpen: (id) => {
      const row = rows.byId(id)
      return row !== undefined && isHeld(row)
    },

    close(id, caller) {
      registry.transaction((writer) => {
        rows.remove(id)
        note(writer, caller, 'log-out', `Signed out: session "${id}".`)
      })
    },

    remove(id) {
      const row = rows.byId(id)
      if (!row || !isHeld(row))
        throw new ManagerError('ERR_NOT_FOUND', `No session has the id "${id.slice(0, 40)}".`, {
          command: 'session list',
        })
      rows.remove(id)
      return sessionOf(row)
    },
  }

  function heldBy(secret: string): HeldSession | undefined {
    const row = pattern.test(secret) ? rows.byHash(hashOf(secret)) : undefined
    const signedIn = row && stillSignedIn(row)
    return signedIn && { row, signedIn }
  }

  function isHeld(row: SessionRow): boolean {
    return stillSignedIn(row) !== undefined
  }

  /** What proves the session, read once; undefined: it has ended. */
  function stillSignedIn({ token: id, credential, stays, last_used, expires }: SessionRow): SignedIn | undefined {
    const now = clock()
    const { idleMs } = stays ? limits.staying : limits.usual
    if (expires <= now.toISOString() || now.getTime() - Date.parse(last_used) >= idleMs) return undefined
    if (id === null) return isSame(credential, credentialOf(settings.global)) ? { by: 'password' } : undefined
    const token = tokens.byId(id)
    return token && { by: 'token', token }
  }

  /** Changes with user and password. Who reads the registry cannot try passwords with it: it has a key of its own. */
  function credentialOf({ userName, password }: Pick<GlobalSettings, 'userName' | 'password'>): string {
    deviceSecret ??= ensureSecretFile(home.deviceSecret)
    return createHmac('sha256', deviceSecret.reveal())
      .update(JSON.stringify(['session', userName, password?.reveal()]))
      .digest('hex')
  }

  /** That it cannot be written is no reason to refuse. */
  function noteUse(id: string, now: Date): void {
    try {
      rows.setLastUsed(id, now.toISOString())
    } catch {
      // The disk is full, or another process holds the registry.
    }
  }

  function note(writer: RegistryWriter, caller: HistoryCaller, action: string, message: string): void {
    writeEntry(writer, caller, { at: clock().toISOString(), action, result: 'ok', message })
  }
}

function answer({ row, signedIn }: HeldSession) {
  return { session: sessionOf(row), signedIn }
}

function sessionOf({ id, actor, address, stays, created, last_used, expires }: SessionRow): Session {
  return { id, actor, address, stays: stays === 1, created, lastUsed: last_used, expires }
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
