import type { Json } from '../domain/json.js'
import { identify, stateOf, type ProcessIdentity, type ProcessState } from '../system/process-identity.js'
import { sqlite, type Queryable } from './sqlite.js'
import { ended, reachedFrom, type OperationState } from './transitions.js'

/** An operation as the journal has it. */
export interface JournalEntry {
  readonly id: string
  readonly kind: string
  readonly instanceId: string
  readonly instance: string
  readonly title: string
  readonly actor: string
  readonly surface: string
  /** Where the request came from; empty: this machine. */
  readonly address: string
  readonly request: Json
  readonly facts: Json
  readonly locks: readonly string[]
  readonly state: OperationState
  readonly owner: ProcessIdentity
  /** That of the owner when this was read; what an owner that is dead wrote last is in it. */
  readonly ownerState: ProcessState
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
  begin(
    entry: Omit<JournalEntry, 'state' | 'owner' | 'ownerState' | 'started' | 'ended' | 'message' | 'warnings'>,
  ): void
  /** Takes over the operation of a dead owner: `planned` and `running` ones are `interrupted` from now on. */
  adopt(id: string): void
  /** @throws Error when it may not come to this state, see `reachedFrom`. */
  setState(id: string, state: OperationState, message?: string): void
  addWarning(id: string, text: string): void
  intent(id: string, seq: number, step: string, intent: Json | undefined): void
  setStep(id: string, seq: number, state: StepEntry['state'], outcome?: Json): void
  entry(id: string): JournalEntry | undefined
  /** In their order; those that were started. */
  steps(id: string): readonly StepEntry[]
  /** Not ended yet, oldest first. */
  open(): readonly JournalEntry[]
}

export function createJournal({ [sqlite]: database }: Queryable, { clock }: { readonly clock: () => Date }): Journal {
  const run = (sql: string, ...values: (string | number | null)[]) => database.prepare(sql).run(...values)
  const now = () => clock().toISOString()
  const self = JSON.stringify(identify(process.pid))
  const text = (value: Json | undefined) => (value === undefined ? null : JSON.stringify(value))

  return {
    begin({ id, kind, instanceId, instance, title, actor, surface, address, request, facts, locks }) {
      run(
        `insert into operation (id, kind, instance_id, instance, title, actor, surface, address, request, facts, locks, state, owner, started)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'planned', ?, ?)`,
        id,
        kind,
        instanceId,
        instance,
        title,
        actor,
        surface,
        address,
        JSON.stringify(request),
        JSON.stringify(facts),
        JSON.stringify(locks),
        self,
        now(),
      )
      run('update instance set operation = ? where id = ?', id, instanceId)
    },
    adopt: (id) =>
      void run(
        `update operation set owner = ?, state = case when state in ('planned', 'running') then 'interrupted' else state end
         where id = ?`,
        self,
        id,
      ),
    setState(id, state, message = '') {
      const isEnd = ended.includes(state)
      const { changes } = run(
        `update operation set state = ?, message = ?, ended = ?
         where id = ? and state in (select value from json_each(?))`,
        state,
        message,
        isEnd ? now() : null,
        id,
        JSON.stringify(reachedFrom[state]),
      )
      if (changes === 0) throw new Error(`Operation ${id} cannot become "${state}" now.`)
      if (isEnd) run(`update instance set operation = '' where operation = ?`, id)
    },
    addWarning: (id, warning) =>
      void run(`update operation set warnings = json_insert(warnings, '$[#]', ?) where id = ?`, warning, id),
    intent: (id, seq, step, intent) =>
      void run(
        `insert into step (operation, seq, step, state, intent, started) values (?, ?, ?, 'intent', ?, ?)`,
        id,
        seq,
        step,
        text(intent),
        now(),
      ),
    setStep: (id, seq, state, outcome) =>
      void run(
        'update step set state = ?, outcome = coalesce(?, outcome), ended = ? where operation = ? and seq = ?',
        state,
        text(outcome),
        now(),
        id,
        seq,
      ),
    entry,
    steps: (id) => database.prepare('select * from step where operation = ? order by seq').all(id).map(stepFromRow),
    open: () =>
      database
        .prepare(`select id from operation where state not in ('succeeded', 'rolled_back') order by started, id`)
        .all()
        .flatMap((row) => entry(String(row['id'])) ?? [])
        .filter(({ state }) => !ended.includes(state)),
  }

  function entry(id: string): JournalEntry | undefined {
    const before = database.prepare('select owner from operation where id = ?').get(id)
    if (!before) return undefined
    const ownerState = stateOf(JSON.parse(String(before['owner'])) as ProcessIdentity)
    const row = database.prepare('select * from operation where id = ?').get(id)
    if (row && row['owner'] === before['owner']) return { ...entryFromRow(row), ownerState }
    // Another process took it over meanwhile.
    return entry(id)
  }
}

function entryFromRow(row: Record<string, unknown>): Omit<JournalEntry, 'ownerState'> {
  const { instance_id: instanceId, request, facts, locks, owner, ended: end, warnings, ...rest } = row
  const parse = (value: unknown) => JSON.parse(String(value)) as unknown
  return {
    ...rest,
    instanceId,
    ended: end ?? undefined,
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
