import type { DatabaseSync } from 'node:sqlite'
import type { Json } from '../domain/json.js'
import { identify, type ProcessIdentity } from './process-identity.js'
import type { JournalPoint, OperationState } from './operation.js'

/** An operation as the journal has it. */
export interface JournalEntry {
  readonly id: string
  readonly kind: string
  readonly instanceId: string
  readonly instance: string
  readonly title: string
  readonly actor: string
  readonly surface: string
  readonly request: Json
  readonly facts: Json
  readonly locks: readonly string[]
  readonly state: OperationState
  readonly owner: ProcessIdentity
  readonly started: string
  readonly ended: string | undefined
  readonly message: string
  readonly warnings: readonly string[]
}

export interface StepEntry {
  readonly seq: number
  readonly step: string
  readonly state: 'intent' | 'done' | 'undoing' | 'undone'
  readonly intent: Json | undefined
  readonly outcome: Json | undefined
}

/** The journal of operations. Each call is one durable transaction of its own, unless it runs inside one. */
export interface Journal {
  begin(entry: Omit<JournalEntry, 'state' | 'owner' | 'started' | 'ended' | 'message' | 'warnings'>): void
  /** Takes over the operation of a dead owner. */
  adopt(id: string): void
  setState(id: string, state: OperationState, message?: string): void
  addWarning(id: string, text: string): void
  intent(id: string, seq: number, step: string, intent: Json | undefined): void
  setStep(id: string, seq: number, state: StepEntry['state'], outcome?: Json): void
  entry(id: string): JournalEntry | undefined
  steps(id: string): readonly StepEntry[]
  /** Not ended yet, oldest first. */
  open(): readonly JournalEntry[]
}

/** States that nothing leaves. */
const ended = ['succeeded', 'rolled_back']

export function createJournal(
  database: DatabaseSync,
  { clock, onPoint }: { readonly clock: () => Date; readonly onPoint?: ((point: JournalPoint) => void) | undefined },
): Journal {
  const run = (sql: string, ...values: (string | number | null)[]) => database.prepare(sql).run(...values)
  const now = () => clock().toISOString()
  const self = JSON.stringify(identify(process.pid))
  const text = (value: Json | undefined) => (value === undefined ? null : JSON.stringify(value))

  return {
    begin({ id, kind, instanceId, instance, title, actor, surface, request, facts, locks }) {
      run(
        `insert into operation (id, kind, instance_id, instance, title, actor, surface, request, facts, locks, state, owner, started)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'planned', ?, ?)`,
        ...[id, kind, instanceId, instance, title, actor, surface],
        ...[JSON.stringify(request), JSON.stringify(facts), JSON.stringify(locks), self, now()],
      )
      run('update instance set operation = ? where id = ?', id, instanceId)
    },
    adopt: (id) => void run('update operation set owner = ? where id = ?', self, id),
    setState(id, state, message = '') {
      const isEnd = ended.includes(state)
      run(
        'update operation set state = ?, message = ?, ended = ? where id = ?',
        ...[state, message, isEnd ? now() : null, id],
      )
      if (isEnd) run(`update instance set operation = '' where operation = ?`, id)
    },
    addWarning: (id, warning) =>
      void run(`update operation set warnings = json_insert(warnings, '$[#]', ?) where id = ?`, warning, id),
    intent(id, seq, step, intent) {
      run(
        `insert or replace into step (operation, seq, step, state, intent, started) values (?, ?, ?, 'intent', ?, ?)`,
        ...[id, seq, step, text(intent), now()],
      )
      onPoint?.({ at: 'intent', step })
    },
    setStep(id, seq, state, outcome) {
      run(
        'update step set state = ?, outcome = coalesce(?, outcome), ended = ? where operation = ? and seq = ?',
        ...[state, text(outcome), now(), id, seq],
      )
    },
    entry: (id) => entryFromRow(database.prepare('select * from operation where id = ?').get(id)),
    steps: (id) => database.prepare('select * from step where operation = ? order by seq').all(id).map(stepFromRow),
    open: () =>
      database
        .prepare(`select * from operation where state not in ('succeeded', 'rolled_back') order by started`)
        .all()
        .map((row) => entryFromRow(row) as JournalEntry),
  }
}

function entryFromRow(row: Record<string, unknown> | undefined): JournalEntry | undefined {
  if (row === undefined) return undefined
  const { instance_id: instanceId, request, facts, locks, owner, ended, warnings, ...rest } = row
  const parse = (value: unknown) => JSON.parse(String(value)) as unknown
  return {
    ...rest,
    instanceId,
    ended: ended ?? undefined,
    request: parse(request),
    facts: parse(facts),
    locks: parse(locks),
    owner: parse(owner),
    warnings: parse(warnings),
  } as unknown as JournalEntry
}

function stepFromRow({ seq, step, state, intent, outcome }: Record<string, unknown>): StepEntry {
  const parse = (value: unknown) => (value === null ? undefined : (JSON.parse(String(value)) as Json))
  return { seq, step, state, intent: parse(intent), outcome: parse(outcome) } as StepEntry
}
