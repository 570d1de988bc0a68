import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { StoreError } from '@steward/rest-core/errors'
import type { Lent, WriteCounts, ServerConnection, Rows } from '../../pool/connection.js'
import { nextSize, RowStream } from '../../pool/row-stream.js'
import type { SchemaRow, SchemaValue } from '../../schema/connection.js'
import { lastId } from '../schema/unique-keys.js'
import type { BoundStatement } from '../../sql/statement.js'
import { quote } from '../../sql/text.js'
import { isConnectionLoss, isStaleStatement, staleStatement, translateError } from './errors.js'
import type { QueryOwner, StatementQuery, StatementQueryClass, Wire } from './statement-query.js'

export interface PostgresqlConnectionParts {
  /** In pipeline mode, unless it is foreign; need not be connected yet. */
  readonly client: pg.Client
  readonly Query: StatementQueryClass
  /** Most prepared statements; 0: none. */
  readonly maxPreparedStatements: number
  /** Whether the application created it; it then runs one statement at a time. Default false. */
  readonly isForeign?: boolean
}

/** Most rows of one `fetch`, each of which is a round trip, and of the first one, before it is known how large they are. */
const fetched = { most: 500, first: 50 }
/** Most rows of a page. */
const pageSize = 1_000

/** A server that does not answer a goodbye is left alone after this. */
const closeTimeoutMs = 5_000

/** One session of PostgreSQL. Statements are sent at once and answered in their order (pipeline mode). */
export class PostgresqlConnection implements ServerConnection, QueryOwner {
  usable = true
  /** Statements that are not answered yet. */
  pending = 0
  /** Since when the next statement to be answered has kept it busy, by `performance.now()`. */
  busySince = 0
  readonly #client: pg.Client
  readonly #Query: StatementQueryClass
  /** Names of the statements that the server has prepared. */
  readonly #prepared: LRUCache<string, true> | undefined
  /** Names that the server shall forget with the next statement. */
  readonly #outdated = new Set<string>()
  #joined = false
  /** Statements that wait for their turn on a foreign client; undefined: none runs, or there is no need to wait. */
  #waiting: (() => void)[] | undefined
  readonly #isForeign: boolean
  #inTransaction = false
  /** `begin` goes with the next statement. */
  #beginning = false
  #canBegin = false
  #cursors = 0
  /** Rows that are still coming, and hold back all answers that follow. */
  #coming: RowStream | undefined
  #paused = false
  #corked = false
  #closed: Promise<void> | undefined

  constructor({ client, Query, maxPreparedStatements, isForeign = false }: PostgresqlConnectionParts) {
    this.#isForeign = isForeign
    this.#client = client
    this.#Query = Query
    if (maxPreparedStatements > 0) {
      this.#prepared = new LRUCache({
        max: maxPreparedStatements,
        dispose: (_, name, reason) => void (reason === 'evict' && this.#outdated.add(name)),
      })
    }
    // They come for idle connections, too.
    client.on('error', () => this.#lose())
    client.on('end', () => this.#lose())
  }

  get raw(): object {
    return this.#client
  }

  join(isJoined: boolean): void {
    this.#joined = isJoined
  }

  /** Gives the connection up when the server is silent for this long while it owes an answer. */
  expectAnswersIn(ms: number | undefined): void {
    if (ms === undefined) return
    const socket = this.#client.connection.stream as Socket
    socket.setTimeout(ms)
    // Each time: idle connections are silent, too.
    socket.on('timeout', () => this.pending > 0 && !this.#paused && this.#lose())
  }

  query({ statement, values }: BoundStatement): Promise<Rows> {
    return this.#send(this.#nameOf(statement), statement.sql, values, 'rows')
  }

  async change({ statement, values }: BoundStatement): Promise<WriteCounts> {
    const tag = await this.#send(this.#nameOf(statement), statement.sql, values, 'tag')
    return { affected: Number(tag.slice(tag.lastIndexOf(' ') + 1)), insertId: '0' }
  }

  /** Sent with the first statement, in the same round trip. */
  async begin(): Promise<void> {
    this.#inTransaction = true
    this.#beginning = true
  }

  async commit(): Promise<void> {
    const tag = await this.#end('commit', 'COMMIT')
    // The answer to the commit of a transaction in which a statement failed is ROLLBACK.
    if (tag !== 'COMMIT')
      throw new StoreError('internal', 'The transaction is undone, because a statement in it failed.')
  }

  async rollback(): Promise<void> {
    try {
      await this.#end('rollback', 'ROLLBACK')
    } catch (error) {
      this.#lose()
      throw error
    }
  }

  /** The socket is read only as fast as batches are taken. */
  async *page({ statement, values }: BoundStatement, alone: boolean): AsyncGenerator<Rows, void, undefined> {
    const coming = this.#rowsOf(this.#nameOf(statement), statement.sql, values, pageSize)
    try {
      for (let rows = await coming.next(); rows.length > 0; rows = coming.isRead ? [] : await coming.next()) yield rows
    } finally {
      this.#drop(coming, alone)
    }
  }

  /** By a cursor of SQL: other statements may run between its batches, which the portals of pg-cursor do not allow. */
  async *stream({ statement, values }: BoundStatement, alone: boolean): AsyncGenerator<Rows, void, undefined> {
    this.#cursors += 1
    const cursor = `c${this.#cursors}`
    // By default plans for cursors favour a quick first batch, at the cost of the whole.
    this.#command('set local cursor_tuple_fraction = 1').catch(ignore)
    const declared = this.#send('', `declare ${cursor} no scroll cursor for ${statement.sql}`, values, 'tag')
    declared.catch(ignore)
    let size = fetched.first
    let coming = this.#fetch(cursor, size)
    let seen: Rows = []
    try {
      await declared
      for (;;) {
        const rows = await coming.next()
        const isLast = coming.isRead && coming.count < size
        if (rows.length > 0) seen = rows
        if (coming.isRead && !isLast) {
          size = nextSize(size, fetched.most, seen)
          coming = this.#fetch(cursor, size)
        }
        if (rows.length > 0) yield rows
        if (isLast) return
      }
    } finally {
      this.#drop(coming, alone)
      // The end of the transaction closes it otherwise.
      if (!alone && this.usable && (this.#inTransaction || this.#joined)) this.#command(`close ${cursor}`).catch(ignore)
    }
  }

  async notify(channel: string): Promise<void> {
    await this.#send('', "select pg_notify($1, '')", [channel], 'tag')
  }

  async lend(): Promise<Lent> {
    if (this.#beginning) await this.#command('select 1')
    return {
      used: () => {
        // Rows that are still coming would hold back the answer.
        void this.#coming?.finish('keep')
        this.#coming = undefined
      },
      translate: (error) => this.#translate(error),
    }
  }

  /** @param onEnd Called once, when the connection is lost or closed. */
  async listen(channel: string, onNotice: () => void, onEnd: () => void): Promise<void> {
    this.#client.on('notification', onNotice)
    this.#client.once('end', onEnd)
    await this.run(`listen ${quote(channel)}`)
  }

  lastId(table: string, column: string): Promise<string | undefined> {
    return lastId(this, table, column)
  }

  async rows(sql: string, bindings: readonly SchemaValue[] = []): Promise<readonly SchemaRow[]> {
    if (this.#isForeign) await new Promise<void>((resolve) => this.#inTurn(resolve))
    try {
      return (await this.#client.query<SchemaRow>(sql, [...bindings])).rows
    } catch (error) {
      throw this.#translate(error)
    } finally {
      if (this.#isForeign) this.#next()
    }
  }

  async run(sql: string, bindings: readonly SchemaValue[] = []): Promise<void> {
    await this.rows(sql, bindings)
  }

  /** Answers to what was sent come first. */
  close(): Promise<void> {
    this.usable = false
    return (this.#closed ??= this.#goodbye())
  }

  sending(wire: Wire, name: string): boolean {
    if (!this.#corked) {
      // Statements of requests that came in together leave together.
      this.#corked = true
      wire.stream.cork()
      setImmediate(() => {
        this.#corked = false
        wire.stream.uncork()
      })
    }
    const isPrepared = name !== '' && this.#prepared?.get(name) === true
    if (name !== '' && !isPrepared) this.#prepared?.set(name, true)
    if (this.#outdated.size > 0) {
      for (const outdated of this.#outdated) wire.close({ type: 'S', name: outdated })
      this.#outdated.clear()
    }
    if (this.#beginning) this.#sendBegin(wire)
    return !isPrepared
  }

  answered(): void {
    this.#left()
    if (this.#isForeign) this.#next()
  }

  failed(error: unknown, query: StatementQuery, parsed: boolean): void {
    this.#left()
    const isStale = query.name !== '' && isStaleStatement(error)
    if (isStale || (query.name !== '' && parsed)) {
      this.#prepared?.delete(query.name)
      this.#outdated.add(query.name)
    }
    if (!isStale) query.reject(this.#translate(error))
    else if (this.#inTransaction || this.#joined) query.reject(staleStatement(error))
    else this.#enqueue({ ...query, name: '' })
    // The client is not ready yet.
    if (this.#isForeign) setImmediate(() => this.#next())
  }

  #nameOf({ id, once }: BoundStatement['statement']): string {
    return once || this.#prepared === undefined ? '' : `s${id}`
  }

  #sendBegin(wire: Wire): void {
    this.#beginning = false
    const name = this.#prepared === undefined ? '' : 'begin'
    if (!this.#canBegin) {
      wire.parse({ name, text: 'begin isolation level read committed' })
      this.#canBegin = name !== ''
    }
    wire.bind({ statement: name, values: [], valueMapper: String })
    wire.execute(undefined)
  }

  async #end(command: string, unused: string): Promise<string> {
    this.#inTransaction = false
    if (!this.#beginning) return this.#send('', command, [], 'tag', true)
    // Nothing was asked for in the transaction.
    this.#beginning = false
    return unused
  }

  #command(text: string): Promise<string> {
    return this.#send('', text, [], 'tag')
  }

  #fetch(cursor: string, size: number): RowStream {
    // One more, so that the end of the answer is waited for.
    return this.#rowsOf('', `fetch ${size} from ${cursor}`, [], size + 1)
  }

  /** Rows as they come. */
  #rowsOf(name: string, text: string, values: readonly unknown[], batchSize: number): RowStream {
    const flow = {
      pause: () => this.#pause(true),
      resume: () => this.#pause(false),
    }
    const listeners: { [E in 'result' | 'error' | 'end']?: (given?: unknown) => void } = {}
    const ended = new Promise((resolve, reject) => {
      const query = { name, text, values, simple: false, gives: 'tag', resolve, reject } as const
      this.#submit({ ...query, onRow: (row) => listeners.result?.(row) })
    })
    ended.then(
      () => listeners.end?.(),
      (error: unknown) => listeners.error?.(error),
    )
    const source = { on: (event: keyof typeof listeners, listener: never) => void (listeners[event] = listener) }
    const coming = new RowStream(flow, source, batchSize)
    this.#coming = coming
    return coming
  }

  #pause(isPaused: boolean): void {
    this.#paused = isPaused
    const { stream } = this.#client.connection
    if (isPaused) stream.pause()
    else stream.resume()
  }

  /** Rows that are no longer wanted, of which the server may still have many. */
  #drop(coming: RowStream, alone: boolean): void {
    if (coming.isPaused && alone) this.#lose()
    else void coming.finish('drop')
    if (this.#coming === coming) this.#coming = undefined
  }

  #send(name: string, text: string, values: readonly unknown[], gives: 'rows'): Promise<Rows>
  #send(name: string, text: string, values: readonly unknown[], gives: 'tag', simple?: boolean): Promise<string>
  #send(
    name: string,
    text: string,
    values: readonly unknown[],
    gives: 'rows' | 'tag',
    simple = false,
  ): Promise<Rows | string> {
    return new Promise((resolve, reject) => {
      this.#submit({ name, text, values, gives, simple, resolve, reject })
    })
  }

  #submit(query: StatementQuery): void {
    // Answers come in order: rows that are still coming would hold back the one to this statement.
    void this.#coming?.finish('keep')
    this.#coming = undefined
    this.#enqueue(query)
  }

  #left(): void {
    if (--this.pending > 0) this.busySince = performance.now()
  }

  #enqueue(query: StatementQuery): void {
    if (this.pending++ === 0) this.busySince = performance.now()
    if (this.#isForeign) this.#inTurn(() => this.#client.query(new this.#Query(this, query)))
    else this.#client.query(new this.#Query(this, query))
  }

  #inTurn(send: () => void): void {
    if (this.#waiting) this.#waiting.push(send)
    else {
      this.#waiting = []
      send()
    }
  }

  #next(): void {
    const send = this.#waiting?.shift()
    if (send) send()
    else this.#waiting = undefined
  }

  #translate(error: unknown): StoreError {
    if (isConnectionLoss(error)) this.#lose()
    return translateError(error)
  }

  #lose(): void {
    this.usable = false
    this.#closed ??= Promise.resolve()
    this.#destroy()
  }

  async #goodbye(): Promise<void> {
    const timer = setTimeout(() => this.#destroy(), closeTimeoutMs)
    await this.#client.end().catch(ignore)
    clearTimeout(timer)
  }

  #destroy(): void {
    this.#client.connection.stream.destroy()
  }
}

function ignore(): void {}
