import { sqlite, type Queryable } from './sqlite.js'

/** A token as it is stored; empty texts: never, none. */
export interface TokenRow {
  readonly id: string
  readonly name: string
  readonly hash: string
  readonly abilities: string
  readonly instances: string | null
  readonly created: string
  readonly created_by: string
  readonly expires: string
  readonly last_used: string
  readonly hosts: string
}

/** Tokens by themselves: what they mean is not known here. */
export interface TokenRows {
  /** By name. */
  all(): readonly TokenRow[]
  byId(id: string): TokenRow | undefined
  byName(name: string): TokenRow | undefined
  insert(token: Omit<TokenRow, 'last_used'>): void
  /** @returns whether there was one */
  remove(id: string): boolean
  setLastUsed(id: string, at: string): void
}

export function createTokenRows({ [sqlite]: database }: Queryable): TokenRows {
  // Prepared once: every request may bring one.
  const byId = database.prepare('select * from token where id = ?')
  const byName = database.prepare('select * from token where name = ?')
  return {
    all: () => database.prepare('select * from token order by name collate nocase').all() as unknown as TokenRow[],
    byId: (id) => byId.get(id) as TokenRow | undefined,
    byName: (name) => byName.get(name) as TokenRow | undefined,
    insert(token) {
      const columns = Object.keys(token)
      database
        .prepare(`insert into token (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`)
        .run(...Object.values(token))
    },
    remove: (id) => database.prepare('delete from token where id = ?').run(id).changes > 0,
    setLastUsed: (id, at) => void database.prepare('update token set last_used = ? where id = ?').run(at, id),
  }
}
