import type {
  AggregateQuery,
  AggregateRow,
  BusinessRecord,
  CountOptions,
  Filter,
  IndexHit,
  IndexQuery,
  LentConnection,
  ObjectModel,
  Query,
  ReadOptions,
  Selection,
  StoreSession,
  Values,
} from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import { afterFailure } from './after-failure.js'
import { noRow, severalRows } from '../schema/unique-keys.js'
import { decodeGroups } from '../sql/aggregate.js'
import type { Compiler } from '../sql/compiler.js'
import { decodeHits } from '../sql/index-search.js'
import type { BoundStatement } from '../sql/statement.js'
import type { WriteCounts, ServerConnection, Rows } from './connection.js'

/** A search with a limit up to this comes as one batch, unless it has many bytes. Source: the contract of `StoreSession.search`. */
const largestBatch = 1_000

/** Whether all of it comes without waiting for the consumer. */
export function isOneBatch(query: Query): boolean {
  return query.limit !== undefined && query.limit <= largestBatch
}

export interface SessionOptions {
  /** Each statement is kept at once, without a transaction. Default false. */
  readonly isAlone?: boolean
  /** The database promises that a row id of the object has at most one row. Absent: it may have several. */
  readonly isUnique?: ((object: ObjectModel) => Promise<boolean> | boolean) | undefined
}

/**
 * Requests on one connection, usually those of a transaction. A statement that fails ends the transaction on every database:
 * PostgreSQL does so by itself, and elsewhere its first half could be kept by mistake.
 */
export class ConnectionSession implements StoreSession {
  readonly #connection: ServerConnection
  readonly #compiler: Compiler
  readonly #isAlone: boolean
  readonly #isUnique: SessionOptions['isUnique']
  #failure: StoreError | undefined
  #ended = false
  #wrote = false
  readonly notify?: (channel: string) => Promise<void>

  constructor(connection: ServerConnection, compiler: Compiler, { isAlone = false, isUnique }: SessionOptions = {}) {
    this.#connection = connection
    this.#compiler = compiler
    this.#isAlone = isAlone
    this.#isUnique = isUnique
    if (connection.notify) this.notify = (channel) => this.#run(() => connection.notify!(channel))
  }

  async lend(): Promise<LentConnection> {
    this.#check()
    this.#wrote = true
    const { used, translate } = await this.#connection.lend()
    return {
      connection: this.#connection.raw,
      used,
      failed: (error) => void this.#failed(translate(error)),
    }
  }

  /** The first statement's failure, when one failed. */
  get failure(): StoreError | undefined {
    return this.#failure
  }

  /** Refuses all later use. */
  end(): void {
    this.#ended = true
  }

  async get(object: ObjectModel, rowId: string, asked: ReadOptions): Promise<BusinessRecord | undefined> {
    const isLocked = asked.lock !== 'unique' || (await this.#isUnique?.(object)) === true
    const options = isLocked ? asked : { ...asked, lock: false }
    const lock = this.#compiler.lock(object, rowId, options)
    if (lock) await this.#query(lock)
    const call = this.#compiler.get(object, rowId, lock ? { ...options, lock: false } : options)
    return call && firstRecord(call, await this.#query(call))
  }

  async *search(object: ObjectModel, query: Query): AsyncGenerator<readonly BusinessRecord[], void, undefined> {
    const call = this.#compiler.search(object, query)
    this.#check()
    try {
      const connection = this.#connection
      for await (const rows of isOneBatch(query) ? connection.page(call, false) : connection.stream(call, false)) {
        yield records(call, rows)
        this.#check()
      }
    } catch (error) {
      throw this.#failed(error)
    }
  }

  async aggregate(object: ObjectModel, query: AggregateQuery): Promise<readonly AggregateRow[]> {
    const call = this.#compiler.aggregate(object, query)
    return decodeGroups(call, await this.#query(call))
  }

  async searchIndex(object: ObjectModel, query: IndexQuery): Promise<readonly IndexHit[]> {
    const call = this.#compiler.searchIndex(object, query, this.#wrote)
    return decodeHits(call, await this.#query(call))
  }

  async countIndex(object: ObjectModel, query: Pick<IndexQuery, 'terms' | 'where' | 'guards'>): Promise<number> {
    return countIn(await this.#query(this.#compiler.countIndex(object, query, this.#wrote)))
  }

  async count(object: ObjectModel, where?: Filter, { guards }: CountOptions = {}): Promise<number> {
    return countIn(await this.#query(this.#compiler.count(object, where, guards)))
  }

  async insert(object: ObjectModel, values: Values, select: Selection): Promise<BusinessRecord> {
    this.#wrote = true
    const call = this.#compiler.insert(object, values, select)
    if (call.statement.gives === 'records') {
      const given = firstRecord(call, await this.#query(call))
      if (!given) return this.#elsewhere(object, call, values, select)
      await this.#follow(object, given.row_id, values, true)
      return given
    }
    const rowId =
      call.statement.gives === 'id' ? insertedKey(object, call, await this.#query(call)) : await this.#insertedId(call)
    if (rowId === undefined) return this.#elsewhere(object, call, values, select)
    await this.#follow(object, rowId, values, true)
    const record = await this.get(object, rowId, { select })
    if (record) return record
    if (!this.#isAlone) throw this.#failed(noRow(object))
    throw new StoreError('busy', `Row ${rowId} was removed by others as soon as it was there.`)
  }

  /** The row of an insert that gave none: a trigger may have stored it where it is read with the rows of its table. */
  async #elsewhere(
    object: ObjectModel,
    { rowId }: BoundStatement,
    values: Values,
    select: Selection,
  ): Promise<BusinessRecord> {
    const id = rowId ?? (await this.#lastId(object))
    const record = id === undefined ? undefined : await this.get(object, id, { select })
    if (id === undefined || !record) throw this.#failed(noRow(object))
    await this.#refuseSeveral(object, id)
    await this.#follow(object, id, values, true)
    return record
  }

  #lastId({ id, table }: ObjectModel): Promise<string | undefined> | undefined {
    return id.parts ? undefined : this.#run(async () => this.#connection.lastId?.(table, id.column))
  }

  async update(
    object: ObjectModel,
    rowId: string,
    values: Values,
    options: Pick<ReadOptions, 'select' | 'where'>,
  ): Promise<BusinessRecord | undefined> {
    this.#wrote = true
    const call = this.#compiler.update(object, rowId, values, options)
    if (!call) return undefined
    const rows = call.statement.gives === 'changes' ? undefined : await this.#query(call)
    const written = rows ? rows.length : (await this.#change(call)).affected
    if (written === 0) return undefined
    if (written > 1) await this.#refuseSeveral(object, rowId)
    await this.#follow(object, rowId, values, false)
    if (rows && call.statement.gives === 'records') return firstRecord(call, rows)
    return this.get(object, rowId, { select: options.select })
  }

  async delete(object: ObjectModel, rowId: string, where?: Filter): Promise<boolean> {
    const call = this.#compiler.delete(object, rowId, where)
    if (!call) return false
    const { countsTriggers = false } = this.#connection
    if (countsTriggers && !(await this.#isUnique?.(object))) await this.#refuseSeveral(object, rowId)
    const { affected } = await this.#change(call)
    if (affected > 1 && !countsTriggers) throw this.#failed(severalRows(object, rowId))
    return affected > 0
  }

  /** More rows than one may also come from a reference to a row id that has several. */
  async #refuseSeveral(object: ObjectModel, rowId: string): Promise<void> {
    const rows = await this.count(object, { op: '=', field: 'row_id', value: rowId })
    if (rows > 1) throw this.#failed(severalRows(object, rowId))
  }

  async #insertedId(call: BoundStatement): Promise<string> {
    const { insertId } = await this.#change(call)
    return call.rowId ?? insertId
  }

  async #follow(object: ObjectModel, rowId: string, values: Values, isNew: boolean): Promise<void> {
    for (const call of this.#compiler.afterWrite(object, rowId, values, isNew)) await this.#change(call)
  }

  #query(call: BoundStatement): Promise<Rows> {
    return this.#run(() => this.#connection.query(call))
  }

  #change(call: BoundStatement): Promise<WriteCounts> {
    return this.#run(() => this.#connection.change(call))
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    this.#check()
    try {
      return await work()
    } catch (error) {
      throw this.#failed(error)
    }
  }

  #check(): void {
    if (this.#ended) throw new StoreError('internal', 'This transaction has ended. Its session can no longer be used.')
    if (this.#failure) throw afterFailure(this.#failure)
  }

  #failed(error: unknown): unknown {
    if (StoreError.is(error)) this.#failure ??= error
    return error
  }
}

export function records({ statement }: BoundStatement, rows: Rows): BusinessRecord[] {
  return rows.map(statement.decode)
}

export function firstRecord({ statement }: BoundStatement, rows: Rows): BusinessRecord | undefined {
  const [row] = rows
  return row && statement.decode(row)
}

/** When a row id has several columns, the statement gives the first one only. */
function insertedKey(object: ObjectModel, call: BoundStatement, rows: Rows): string | undefined {
  return object.id.parts ? call.rowId : firstId(rows)
}

function firstId(rows: Rows): string | undefined {
  return rows[0] && String(rows[0][0])
}

export function countIn(rows: Rows): number {
  return Number(rows[0]![0])
}
