import { allRights, readingOnly } from '@steward/rest-core'
import type { Principal } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import type { Operation } from '../router/parameters.js'

/** Names the user whose view an administrator wants, percent-encoded. */
export const viewAsHeader = 'X-View-As'

/** Finds the active user with this login. */
export type ViewAs = (login: string) => Promise<Principal | undefined>

/** Whether the request is made to see what another user sees. */
export function isViewing({ req }: Context): boolean {
  return req.headers['x-view-as'] !== undefined
}

/**
 * Whose rights hold for the answer: those of the caller, or, with the header, those of another user to read. Only who may
 * do everything gets such a view, so that it never shows more than the caller may see anyway.
 *
 * Sets `ctx.state.viewAs` for access logs, and takes the session, which is the caller's, out of what is answered.
 *
 * @throws RestError ERR_RIGHT, ERR_BAD_REQUEST
 */
export async function viewerOf(context: Context, caller: Principal, viewAs: ViewAs | undefined): Promise<Principal> {
  if (context.state['anonymous'] === true || caller.rights !== allRights)
    throw new RestError('ERR_RIGHT', `Only administrators may see what other users see (${viewAsHeader}).`)
  if (!viewAs) throw new RestError('ERR_BAD_REQUEST', `This service does not take the header ${viewAsHeader}.`)
  const login = readLogin(String(context.req.headers['x-view-as']))
  const user = await viewAs(login)
  if (!user)
    throw new RestError('ERR_BAD_REQUEST', `${viewAsHeader} names "${login.slice(0, 100)}", who is not an active user.`)
  context.state['viewAs'] = user.login
  context.state['session'] = undefined
  // A stream asks again who its reader is.
  if (!context.res.headersSent) context.vary(viewAsHeader)
  return readingOnly(user)
}

const reading: ReadonlySet<Operation> = new Set<Operation>([
  'info',
  'search',
  'get',
  'indexSearch',
  'metadata',
  'documentation',
  'publication',
  'crosstab',
  'download',
  'thumbnail',
  'task',
])

/** Whether the operation works in the view of another user. */
export function mayView(operation: Operation): boolean {
  return reading.has(operation)
}

/** @throws RestError ERR_RIGHT for what changes something, whatever the rights of either user. */
export function refuseChange(context: Context, operation: Operation): void {
  if (mayView(operation)) return
  const text = `${viewAsHeader} is for reading: nothing can be changed as "${String(context.state['viewAs'])}". Leave the header out to act as yourself.`
  throw new RestError('ERR_RIGHT', text)
}

function readLogin(text: string): string {
  try {
    const login = decodeURIComponent(text)
    if (login !== '') return login
  } catch {
    // Refused below.
  }
  throw new RestError('ERR_BAD_REQUEST', `${viewAsHeader} must be a login, percent-encoded.`)
}
