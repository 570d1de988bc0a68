import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { withParts, type Ability } from '../domain/ability.js'
import { grantFrom, type Grant, type StoredGrant } from '../domain/grant.js'
import { randomId } from '../domain/names.js'
import { Secret } from '../domain/secret.js'
import { createTokenRows, type TokenRow } from '../store/token-rows.js'

/** What programs and other people than the administrator prove themselves by. */
export interface Token {
  readonly id: string
  /** Unique without regard to case. */
  readonly name: string
  /** As they were given, without those that are part of others. */
  readonly abilities: readonly Ability[]
  readonly scope: StoredGrant['scope']
  /** ISO 8601 in UTC. */
  readonly created: string
  readonly createdBy: string
  /** Empty: never. */
  readonly expires: string
  /** To the minute; empty: never. */
  readonly lastUsed: string
}

export interface Tokens {
  /** By name. */
  list(): readonly Token[]
  /** @throws ManagerError ERR_NAME_TAKEN */
  add(token: Omit<Token, 'id' | 'created' | 'lastUsed'>): { readonly token: Token; readonly secret: Secret }
  /** It holds for no further request. @throws ManagerError ERR_NOT_FOUND */
  remove(name: string): Token
  /**
   * The token of `stw_<id>_<secret>`, and writes down that it was used.
   *
   * @returns undefined when there is none, or when it has expired
   */
  use(text: string): Token | undefined
  /** One that was used before, by its id. @returns undefined when it was removed, or has expired */
  byId(id: string): Token | undefined
}

/** `stw_<id>_<secret>`, as it is shown once. The secret has 256 bits, so that a plain hash of it reveals nothing. */
const pattern = /^stw_([a-z0-9]{4,40})_([A-Za-z0-9]{43})$/
/** How exact `lastUsed` is, so that not every request writes. */
const usedEveryMs = 60_000

/** Whether a text looks like a token. */
export function isTokenText(text: string): boolean {
  return pattern.test(text)
}

/** The access tokens of a home, in its registry; only hashes are stored. */
export function createTokens({ registry, clock }: Pick<ManagerContext, 'registry' | 'clock'>): Tokens {
  const rows = createTokenRows(registry)

  return {
    list: () => rows.all().map(tokenOf),

    add({ name, abilities, scope, createdBy, expires }) {
      const id = randomId()
      const secret = randomSecret()
      registry.transaction(() => {
        if (rows.byName(name)) throw new ManagerError('ERR_NAME_TAKEN', `A token named "${name}" already exists.`)
        rows.insert({
          id,
          name,
          hash: hashOf(secret).toString('hex'),
          abilities: abilities.join(','),
          instances: scope.all ? null : JSON.stringify(scope.instances),
          created: clock().toISOString(),
          created_by: createdBy,
          expires,
          hosts: scope.all ? '' : scope.hosts.join(','),
        })
      })
      return { token: tokenOf(rows.byId(id) as TokenRow), secret: new Secret(`stw_${id}_${secret}`) }
    },

    remove(name) {
      const row = rows.byName(name)
      if (!row || !rows.remove(row.id))
        throw new ManagerError('ERR_NOT_FOUND', `No token is named "${name.slice(0, 40)}".`, { command: 'token list' })
      return tokenOf(row)
    },

    use(text) {
      const [, id = '', secret = ''] = pattern.exec(text) ?? []
      const row = rows.byId(id)
      const now = clock()
      if (!row || !timingSafeEqual(hashOf(secret), Buffer.from(row.hash, 'hex')) || hasExpired(row)) return undefined
      if (row.last_used !== '' && now.getTime() - Date.parse(row.last_used) < usedEveryMs) return tokenOf(row)
      noteUse(id, now)
      // The write may have waited for seconds: what was read before it says nothing about now.
      return byId(id)
    },

    byId,
  }

  function byId(id: string): Token | undefined {
    const row = rows.byId(id)
    return row && !hasExpired(row) ? tokenOf(row) : undefined
  }

  function hasExpired({ expires }: TokenRow): boolean {
    return expires !== '' && expires <= clock().toISOString()
  }

  /** That it cannot be written is no reason to refuse. */
  function noteUse(id: string, now: Date): void {
    try {
      rows.setLastUsed(id, now.toISOString())
    } catch {
      // The disk is full, or another process holds the registry.
    }
  }
}

function tokenOf({ id, name, abilities, instances, created, created_by, expires, last_used, hosts }: TokenRow): Token {
  return {
    id,
    name,
    created,
    expires,
    createdBy: created_by,
    lastUsed: last_used,
    abilities: abilities.split(',') as Ability[],
    scope:
      instances === null
        ? { all: true }
        : {
            all: false,
            instances: JSON.parse(instances) as string[],
            hosts: hosts === '' ? [] : hosts.split(','),
          },
  }
}

/** 43 letters and digits, of which a double click takes all. */
function randomSecret(): string {
  const text = randomBytes(64).toString('base64').replaceAll(/[+/=]/g, '')
  return text.length < 43 ? randomSecret() : text.slice(0, 43)
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** What a token may do. */
export function grantOf({ abilities, scope }: Token): Grant {
  return grantFrom({ abilities: [...withParts(abilities)], scope })
}
