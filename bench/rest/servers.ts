import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Target } from './databases.ts'

/** The servers under test, the limit first: each is a file of the same name in `servers/`. */
export const serverNames = ['raw', 'knex', 'feathers', 'steward', 'steward-post'] as const

export type ServerName = (typeof serverNames)[number]

/** What a file in `servers/` exports as `open`: connects to the database and gives back the handler of HTTP requests. */
export type OpenServer = (
  target: Target,
) => Promise<(request: IncomingMessage, response: ServerResponse) => void | Promise<void>>

/** What is asked of a server beyond the common answers. */
export interface Demands {
  /** Requests without credentials get 401, records carry an ETag. */
  readonly guarded: boolean
  /** A search without a page answers all rows as a stream. */
  readonly streams: boolean
  /** Only create and update differ from another server. */
  readonly writesOnly?: boolean
  /** It cannot combine conditions on several tables by or. */
  readonly withoutOr?: boolean
}

export const demands: Readonly<Record<ServerName, Demands>> = {
  raw: { guarded: false, streams: false },
  knex: { guarded: false, streams: false },
  feathers: { guarded: false, streams: false, withoutOr: true },
  steward: { guarded: true, streams: true },
  'steward-post': { guarded: true, streams: false, writesOnly: true },
}

/** Credentials of every request; only a guarded server looks at them. */
export const credentials = { login: 'bench', password: 'correct horse battery staple' }

export const authorization = `Basic ${Buffer.from(`${credentials.login}:${credentials.password}`).toString('base64')}`
