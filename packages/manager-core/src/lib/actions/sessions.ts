import { createSessions, type Session } from '../access/sessions.js'
import type { Action } from '../action.js'
import { countText } from '../domain/readable.js'
import { recordHistory } from '../history/record-history.js'
import { defineAction } from './define-action.js'

const list = defineAction({
  name: 'session list',
  group: 'Access',
  summary: 'List the browsers that are signed in to the pages',
  ability: 'admin',
  mutating: false,
  examples: ['session list'],
  view: {
    type: 'table',
    columns: ['id', 'actor', 'address', 'created', 'last_used', 'expires'],
    empty: 'There are no sessions.',
  },
  async handler({ context }) {
    const sessions = createSessions(context).list()
    return { message: countText(sessions.length, 'session'), list: sessions.map(wire) }
  },
})

const remove = defineAction({
  name: 'session remove',
  group: 'Access',
  summary: 'Sign a browser out of the pages',
  description:
    'The browser has to sign in again. A session also ends with the password or the token that it was opened with: ' +
    'change APPS_PASSWORD to end all sessions of the administrator, remove a token to end those of the token.',
  parameters: [{ name: 'id', type: 'text', required: true, summary: 'Id of the session' }],
  ability: 'admin',
  mutating: true,
  direct: true,
  destructive: 'The browser of session "{id}" has to sign in again.',
  examples: ['session remove k3v9x2ap'],
  view: { type: 'text' },
  async handler({ context, input: { id }, caller }) {
    if (caller.dryRun) return { message: `Session "${id}" would be ended.` }
    return recordHistory(
      context,
      caller,
      { action: 'session remove', parameters: { session: id.slice(0, 100) } },
      () => {
        const { actor } = createSessions(context).remove(id)
        return { message: `Session "${id}" of ${actor} is ended.` }
      },
    )
  },
})

export const sessionActions: readonly Action[] = [list, remove]

function wire({ id, actor, address, stays, created, lastUsed, expires }: Session) {
  return { id, actor, address, created, last_used: lastUsed, expires, stays }
}
