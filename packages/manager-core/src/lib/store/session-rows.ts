import { sqlite, type Queryable } from './sqlite.js'

/** A session of the pages as it is stored. Dates are ISO 8601 in UTC. */
export interface SessionRow {
  /** SHA-256 of what its cookie holds. */
  readonly hash: string
  readonly id: string
  /** SHA-256 of what its pages send beside the cookie. */
  readonly key_hash: string
  /** What distinguishes one password from another; empty: it was opened with a token. */
  readonly credential: string
  /** Id of the token; null: it was opened with the password. */
  readonly token: string | null
  readonly actor: string
  readonly address: string
  /** 1: it also outlives the browser. */
  readonly stays: number
  readonly created: string
  readonly last_used: string
  readonly expires: string
}

/** Sessions by themselves: which of them still hold is not known here. */
export interface SessionRows {
  /** Newest first. */
  all(): readonly SessionRow[]
  byHash(hash: string): SessionRow | undefined
  byId(id: string): SessionRow | undefined
  insert(session: SessionRow): void
  remove(id: string): void
  setLastUsed(id: string, at: string): void
}

export function createSessionRows({ [sqlite]: database }: Queryable): SessionRows {
  // Prepared once: every request of a page brings a hash, and every open stream looks for its id again and again.
  const byHash = database.prepare('select * from session where hash = ?')
  const byId = database.prepare('select * from session where id = ?')
  return {
    all: () => database.prepare('select * from session order by created desc, id').all() as unknown as SessionRow[],
    byHash: (hash) => byHash.get(hash) as SessionRow | undefined,
    byId: (id) => byId.get(id) as SessionRow | undefined,
    insert(session) {
      const columns = Object.keys(session)
      database
        .prepare(`insert into session (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`)
        .run(...Object.values(session))
    },
    remove: (id) => void database.prepare('delete from session where id = ?').run(id),
    setLastUsed: (id, at) => void database.prepare('update session set last_used = ? where id = ?').run(at, id),
  }
}
