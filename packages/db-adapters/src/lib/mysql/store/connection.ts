import type { Socket } from 'node:net'
import type { Connection as Client, QueryError, ResultSetHeader } from 'mysql2'
import type { StoreError } from '@steward/rest-core/errors'
import type { Lent, WriteCounts, ServerConnection, Rows } from '../../pool/connection.js'
import { RowStream, type RowSource } from '../../pool/row-stream.js'
import type { SchemaRow, SchemaValue } from '../../schema/connection.js'
import type { BoundStatement } from '../../sql/statement.js'
import { setStatementTimeout } from './config.js'
import { isConnectionLoss, isStaleStatement, staleStatement, translateError } from './errors.js'

export interface MysqlConnectionParts {
  /** Connecting, or connected. */
  readonly client: Client
  /** In ms; 0: none. */
  readonly statementTimeoutMs: number
  /** Made by the application, which may want values in other forms. Default false. */
  readonly isForeign?: boolean
}

/** How values come; a connection of the store has it among its own options. */
const forms = {
  supportBigNumbers: true,
  bigNumberStrings: true,
  decimalNumbers: false,
  dateStrings: true,
  jsonStrings: true,
  timezone: 'Z',
  typeCast: true,
  nestTables: false,
}

const batchSize = 500
/** Most rows of a page. */
const pageSize = 1_000

/** A server that does not answer a goodbye is left alone after this. */
const closeTimeoutMs = 5_000

type DriverStatement = { readonly sql: string; readonly rowsAsArray: true; readonly values: readonly unknown[] }

/** One session of MySQL or MariaDB. The driver sends a statement when the one before it has been answered. */
export class MysqlConnection implements ServerConnection {
  usable = true
  readonly #client: Client
  readonly #statementTimeoutMs: number
  /** A search whose rows are still coming. */
  #stream: RowStream | undefined
  #joined = false
  readonly #forms: object | undefined
  #inTransaction = false
  /** Compiled statements that are not answered yet. Others, such as those of schema work, may take their time. */
  #pending = 0
  #closed: Promise<void> | undefined

  constructor({ client, statementTimeoutMs, isForeign = false }: MysqlConnectionParts) {
    this.#forms = isForeign ? forms : undefined
    this.#client = client
    this.#statementTimeoutMs = statementTimeoutMs
    // They come for idle connections, too.
    client.on('error', (error: unknown) => this.#lose(error))
    client.on('end', () => (this.usable = false))
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
    const socket = this.#socket
    // A caller that waits for an answer gets the error from the driver.
    socket.setTimeout(ms)
    // Each time: idle connections are silent, too.
    socket.on('timeout', () => this.#pending > 0 && socket.destroy())
  }

  query(call: BoundStatement): Promise<Rows> {
    return this.#execute(call)
  }

  async *page(call: BoundStatement, alone: boolean): AsyncGenerator<Rows, void, undefined> {
    if (this.#stream) await this.#free()
    const statement = this.#toStatement(call.statement.sql, call.values)
    let stream = this.#open(statement, pageSize)
    let complete = false
    try {
      let rows = await this.#firstRows(stream).catch((error: unknown) => {
        if (!isStaleStatement(error)) throw error
        this.#forget(statement)
        if (this.#inTransaction || this.#joined) throw staleStatement(error)
        stream = this.#open(statement, pageSize)
        return this.#firstRows(stream)
      })
      for (; rows.length > 0; rows = await stream.next()) {
        complete = stream.isRead
        yield rows
        if (complete) return
      }
      complete = true
    } catch (error) {
      throw this.#translate(error)
    } finally {
      if (!complete && alone) this.#abandon()
      else if (!complete) await stream.finish('drop')
      if (this.#stream === stream) this.#stream = undefined
      if (call.statement.once) this.#forget(statement)
    }
  }

  async change(call: BoundStatement): Promise<WriteCounts> {
    const { affectedRows, insertId } = await this.#execute<ResultSetHeader>(call)
    return { affected: affectedRows, insertId: String(insertId) }
  }

  async begin(): Promise<void> {
    this.#inTransaction = true
    await this.#command('begin')
  }

  async commit(): Promise<void> {
    this.#inTransaction = false
    await this.#command('commit')
  }

  async rollback(): Promise<void> {
    this.#inTransaction = false
    try {
      await this.#command('rollback')
    } catch (error) {
      this.#lose(error)
      throw error
    }
  }

  async *stream({ statement, values }: BoundStatement, alone: boolean): AsyncGenerator<Rows, void, undefined> {
    await this.#free()
    // Otherwise the limit would count the consumer's time, too.
    if (this.#statementTimeoutMs > 0) await this.#command(setStatementTimeout(0))
    const stream = this.#open(this.#toStatement(statement.sql, values), batchSize)
    let complete = false
    try {
      for (;;) {
        const rows = await stream.next()
        complete = rows.length === 0
        if (complete) return
        yield rows
      }
    } catch (error) {
      throw this.#translate(error)
    } finally {
      // Reading on could take long; without a reader the server gives up.
      if (!complete && alone) this.#abandon()
      else if (!complete) await stream.finish('drop')
      if (this.#stream === stream) this.#stream = undefined
      if (this.usable && this.#statementTimeoutMs > 0)
        await this.#command(setStatementTimeout(this.#statementTimeoutMs))
    }
  }

  async lend(): Promise<Lent> {
    await this.#free()
    return { used: () => void this.#free(), translate: (error) => this.#translate(error) }
  }

  async rows(sql: string, bindings: readonly SchemaValue[] = []): Promise<readonly SchemaRow[]> {
    const done = Promise.withResolvers<readonly SchemaRow[]>()
    const values = bindings.map((value) => (value === null ? null : String(value)))
    const settle = (error: QueryError | null, rows: unknown): void => {
      if (error) done.reject(this.#translate(error))
      else done.resolve(Array.isArray(rows) ? (rows as SchemaRow[]) : [])
    }
    // Not everything can be prepared: without values, the text protocol takes it.
    const statement = { sql, rowsAsArray: false, ...this.#forms }
    if (values.length > 0) this.#client.execute(statement, values, settle)
    else this.#client.query(statement, settle)
    return done.promise
  }

  async run(sql: string, bindings: readonly SchemaValue[] = []): Promise<void> {
    await this.rows(sql, bindings)
  }

  close(): Promise<void> {
    this.usable = false
    return (this.#closed ??= this.#end())
  }

  async #execute<T = Rows>(call: BoundStatement): Promise<T> {
    if (this.#stream) await this.#free()
    const statement = this.#toStatement(call.statement.sql, call.values)
    try {
      return await this.#send<T>(statement)
    } catch (error) {
      if (!isStaleStatement(error)) throw this.#translate(error)
      this.#forget(statement)
      if (this.#inTransaction || this.#joined) throw staleStatement(error)
      return await this.#send<T>(statement).catch((second: unknown) => Promise.reject(this.#translate(second)))
    } finally {
      if (call.statement.once) this.#forget(statement)
    }
  }

  #open(statement: DriverStatement, rows: number): RowStream {
    const source = this.#client.execute(statement as never) as unknown as RowSource
    return (this.#stream = new RowStream(this.#client, source, rows))
  }

  async #firstRows(stream: RowStream): Promise<Rows> {
    this.#pending++
    try {
      return await stream.next()
    } finally {
      this.#pending--
    }
  }

  #send<T>(statement: DriverStatement): Promise<T> {
    this.#pending++
    return new Promise((resolve, reject) => {
      this.#client.execute(statement as never, (error: QueryError | null, result: unknown) => {
        this.#pending--
        if (error) reject(error)
        else resolve(result as T)
      })
    })
  }

  async #command(sql: string): Promise<void> {
    if (this.#stream) await this.#free()
    await this.run(sql)
  }

  /** Lets the rows of an open search come, so that another statement can run. */
  async #free(): Promise<void> {
    const stream = this.#stream
    await stream?.finish('keep')
    if (this.#stream === stream) this.#stream = undefined
  }

  #toStatement(sql: string, values: readonly unknown[]): DriverStatement {
    const statement = { sql, rowsAsArray: true, values: values.map(toText) } as const
    return this.#forms ? { ...statement, ...this.#forms } : statement
  }

  #forget({ sql, rowsAsArray }: DriverStatement): void {
    // The key of the driver's cache includes the form of the rows.
    this.#client.unprepare({ sql, rowsAsArray } as unknown as string)
  }

  #translate(error: unknown): StoreError {
    if (isConnectionLoss(error)) this.#lose(error)
    return translateError(error)
  }

  /** The driver notifies statements that wait for an answer by itself, except those that give their rows one by one. */
  #lose(error: unknown): void {
    this.usable = false
    this.#stream?.fail(Object.assign(new Error((error as Error).message, { cause: error }), { fatal: true }))
  }

  #abandon(): void {
    this.usable = false
    this.#client.destroy()
    this.#socket.destroy()
  }

  get #socket(): Socket {
    return (this.#client as unknown as { stream: Socket }).stream
  }

  async #end(): Promise<void> {
    const ended = Promise.withResolvers<void>()
    const timer = setTimeout(() => ended.resolve(), closeTimeoutMs)
    this.#client.end(() => ended.resolve())
    await ended.promise
    clearTimeout(timer)
    this.#abandon()
  }
}

function toText(value: unknown): string | boolean | null {
  if (typeof value === 'string' || typeof value === 'boolean') return value
  return value === null || value === undefined ? null : String(value)
}
