import { ManagerError } from '../../errors.js'
import type { Action } from '../action.js'
import { countText } from '../domain/readable.js'
import { verifyHistory, type HistoryReport } from '../history/verify-history.js'
import { instanceInHistory } from '../store/history-rows.js'
import type { HistoryEntry, Registry } from '../store/registry.js'
import { defineAction } from './define-action.js'

const list = defineAction({
  name: 'history list',
  aliases: ['history'],
  group: 'Looking',
  summary: 'Show the history of actions',
  description: 'Of one instance, existing or deleted, or of all. The latest entry comes last.',
  parameters: [{ name: 'name', type: 'instance', orGone: true, summary: 'Name of an instance (default: all)' }],
  options: [
    { name: 'limit', type: 'integer', min: 1, max: 100_000, summary: 'Maximum number of entries (default: 100)' },
  ],
  ability: 'read',
  mutating: false,
  scoped: true,
  examples: ['history demo', 'history --limit 20'],
  view: {
    type: 'table',
    columns: ['at', 'actor', 'address', 'action', 'instance', 'result', 'duration'],
    below: 'message',
    optional: ['address'],
    empty: 'There are no entries.',
  },
  async handler({ context: { registry }, input, caller }) {
    const limit = input.limit ?? 100
    const instance = input.name === undefined ? undefined : idInHistory(registry, input.name)
    const list = registry.history({ limit, ...(instance !== undefined && { instance }) }).map(wireEntry)
    // Source: docs/spec/wire-decisions.md, "every API answer": over the API the text is the message.
    const message = caller.surface === 'api' ? list.map(lineOf).join('\n') : countText(list.length, 'action')
    return { message, list }
  },
})

const verify = defineAction({
  name: 'history verify',
  group: 'Looking',
  summary: 'Verify that the history was not changed',
  description:
    'Every entry has a hash of itself and all earlier entries, which reveals changed and missing entries. The ' +
    'exit code is 1 if there are any. Anyone who can write the registry could recompute all hashes: keep the ' +
    'head that this command shows in another place, and pass it with --expect, which verifies all entries up to ' +
    'it.',
  options: [{ name: 'expect', type: 'text', nonEmpty: true, summary: 'Head from an earlier run, <number>:<hash>' }],
  ability: 'read',
  mutating: false,
  examples: ['history verify', 'history verify --json'],
  view: { type: 'text' },
  async handler({ context: { registry }, input }) {
    const expect = input.expect
    if (expect !== undefined && !/^\d{1,15}:[0-9a-f]{64}$/.test(expect))
      throw new ManagerError('ERR_USAGE', `"${expect.slice(0, 80)}" is not a valid head. Expected: <number>:<hash>.`, {
        command: 'history verify --help',
      })
    const report = await verifyHistory(registry, expect)
    return {
      message: sentenceOf(report),
      item: { ...report, faults: report.faults.map((fault) => ({ ...fault })) },
      exitCode: report.faults.length > 0 ? 1 : 0,
    }
  },
})

export const historyActions: readonly Action[] = [list, verify]

function sentenceOf({ entries, unsealed, head, faults }: HistoryReport): string {
  const count = entries === 1 ? '1 entry' : `${entries} entries`
  if (faults.length > 0)
    return [`The history was changed (${count}).`, ...faults.map(({ id, problem }) => `${id}: ${problem}`)].join('\n')
  const older = unsealed > 0 ? ` ${unsealed} of them were written before entries had hashes.` : ''
  return `The history is intact: ${count}.${older}${head === '' ? '' : ` Head: ${head}`}`
}

/** Also of an instance that was deleted: the last one of that name. */
function idInHistory(registry: Registry, name: string): string {
  const id = registry.find(name)?.id ?? instanceInHistory(registry, name)
  if (id !== undefined) return id
  throw new ManagerError('ERR_NOT_FOUND', `No instance is or was named "${name.slice(0, 40)}".`, {
    command: 'list',
  })
}

/** How an action ended; only the first was done. */
const endings: Readonly<Record<HistoryEntry['result'], string>> = {
  ok: 'done',
  failed: 'failed',
  'rolled-back': 'was rolled back',
  attention: 'needs attention',
  refused: 'was refused',
}

/** `2026-11-21T03:00:00.000Z root upgrade demo: was rolled back. It is not healthy after 60 s.` */
function lineOf({ at, actor, action, instance, result, message }: WireHistoryEntry): string {
  const about = [at, actor, action, instance].filter((word) => word !== '').join(' ')
  const [first = ''] = message.split('\n')
  return `${about}: ${endings[result]}${first === '' ? '' : `. ${first}`}`
}

/** What was done, as `history list` answers it. */
export type WireHistoryEntry = Omit<HistoryEntry, 'instanceId'> & { readonly instance_id: string }

function wireEntry({ instanceId, ...entry }: HistoryEntry): WireHistoryEntry {
  return { ...entry, instance_id: instanceId }
}
