import type { Level } from './level.js'

/** What a request does. */
export type Operation = 'info' | 'search' | 'get' | 'create' | 'update' | 'delete'

interface Parameter {
  /** Operations that it may be given to. */
  readonly on: readonly Operation[]
  /** The first level that has it. */
  readonly since: Level
}

const answered: readonly Operation[] = ['search', 'get', 'create', 'update']

/**
 * Request parameters, spelled as the API spells them; every other one is the name of a field, or a mistake.
 * Sources: rest-service.md, "Endpoints" and "Versioning"; those marked (choice) are additions of wire-decisions.
 */
export const parameters: Readonly<Record<string, Parameter>> = {
  /** Application info: only the session. */
  session: { on: ['info'], since: '3.1' },
  /** PUT or DELETE by POST. */
  _method: { on: ['create', 'update', 'delete'], since: '3.0' },
  _inline_documents: { on: answered, since: '3.0' },
  _inline_thumbnails: { on: answered, since: '3.0' },
  /** Count instead of the records. */
  _count: { on: ['search'], since: '3.2' },
  /** 0-based page. */
  _page: { on: ['search'], since: '4.0' },
  /** Records per page (choice). */
  _pagesize: { on: ['search'], since: '4.0' },
  /** Fields to sort by, `-` before a field turns it round (choice). */
  _order: { on: ['search'], since: '3.0' },
  /** Fields of the answer (choice). */
  _fields: { on: answered, since: '3.0' },
  /** created_dt, created_by, updated_dt, updated_by in the answer. Source: wire-decisions, "technical fields". */
  _timestamps: { on: answered, since: '3.0' },
}

/** `order__<field>=±n`: sign = direction, n = priority. Source: wire-decisions, "filters". */
export const orderPrefix = 'order__'
