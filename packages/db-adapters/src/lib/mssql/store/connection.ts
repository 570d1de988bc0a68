import type { Connection as Client, Request } from 'tedious'
import type { StoreError } from '@steward/rest-core/errors'
import type { Lent, WriteCounts, ServerConnection, Rows } from '../../pool/connection.js'
import { RowStream } from '../../pool/row-stream.js'
import type { SchemaRow, SchemaValue } from '../../schema/connection.js'
import type { BoundStatement } from '../../sql/statement.js'
import { withoutUtf8 } from './dialect.js'
import { isConnectionLoss, isRefusedForTriggers, translateError } from './errors.js'

type Driver = Pick<typeof import('tedious'), 'Request' | 'TYPES'>

export interface MssqlConnectionParts {
  readonly driver: Driver
  /** Connected. */
  readonly client: Client
  readonly statementTimeoutMs: number
}

interface Answer {
  readonly rows: (readonly unknown[])[]
  readonly columns: readonly string[]
  readonly affected: number
}

interface Column {
  readonly value: unknown
  readonly metadata: { readonly colName: string }
}

const batchSize = 500
/** Most rows of a page. */
const pageSize = 1_000

/** A server that does not answer a goodbye is left alone after this. */
const closeTimeoutMs = 5_000

/** One session of SQL Server. A statement is sent when the one before it has been answered. */
export class MssqlConnection implements ServerConnection {
  readonly countsTriggers = true
  usable = true
  /** Ids are given to all rows, and the session is set to accept them. */
  loading = false
  readonly #driver: Driver
  readonly #client: Client
  readonly #statementTimeoutMs: number
  /** Without UTF-8 (before SQL Server 2019), texts sort by UTF-16. */
  #utf8 = true
  /** Resolves when the connection can take another statement; never rejects. */
  #last: Promise<unknown> = Promise.resolve()
  /** A search whose rows are still coming. */
  #stream: RowStream | undefined
  #closed: Promise<void> | undefined

  constructor({ driver, client, statementTimeoutMs }: MssqlConnectionParts) {
    this.#driver = driver
    this.#client = client
    this.#statementTimeoutMs = statementTimeoutMs
    // They come for idle connections, too.
    client.on('error', () => (this.usable = false))
    client.on('end', () => (this.usable = false))
  }

  get raw(): object {
    return this.#client
  }

  join(): void {}

  /** Asks what the server can do. @param setUp settings of the session */
  async prepare(setUp: string): Promise<void> {
    const [row] = await this.rows(
      `${setUp}; select collationproperty('Latin1_General_100_BIN2_UTF8', 'CodePage') as utf8`,
    )
    this.#utf8 = row?.['utf8'] !== null && row?.['utf8'] !== undefined
  }

  /** Asks the server to end the statement that runs. */
  cancel(): void {
    this.#client.cancel()
  }

  async query(call: BoundStatement): Promise<Rows> {
    return (await this.#execute(call)).rows
  }

  async change(call: BoundStatement): Promise<WriteCounts> {
    return { affected: (await this.#execute(call)).affected, insertId: '0' }
  }

  async begin(): Promise<void> {
    await this.run('set transaction isolation level read committed; begin transaction')
  }

  async commit(): Promise<void> {
    await this.run('commit transaction')
  }

  /** A deadlock or a refused statement may have ended the transaction already. */
  async rollback(): Promise<void> {
    try {
      await this.run('if @@trancount > 0 rollback transaction')
    } catch (error) {
      this.usable = false
      throw error
    }
  }

  async lend(): Promise<Lent> {
    await this.#free()
    await this.#last
    return { used: () => {}, translate: (error) => this.#translate(error) }
  }

  page(call: BoundStatement, alone: boolean): AsyncGenerator<Rows, void, undefined> {
    return this.#rows(call, alone, pageSize, this.#statementTimeoutMs)
  }

  /** Time that the reader takes would count, too, so there is no limit of it. */
  stream(call: BoundStatement, alone: boolean): AsyncGenerator<Rows, void, undefined> {
    return this.#rows(call, alone, batchSize, 0)
  }

  async *#rows(
    { statement, values }: BoundStatement,
    alone: boolean,
    batch: number,
    timeoutMs: number,
  ): AsyncGenerator<Rows, void, undefined> {
    await this.#free()
    const { request, started, flow } = this.#start(this.#textOf(statement.sql), values, timeoutMs)
    const stream = new RowStream(flow, request, batch)
    this.#stream = stream
    started()
    let complete = false
    try {
      for (;;) {
        const rows = await stream.next()
        complete = rows.length === 0 || stream.isRead
        if (rows.length > 0) yield rows
        if (complete) return
      }
    } catch (error) {
      throw this.#translate(error)
    } finally {
      // Reading on could take long.
      if (!complete && alone) this.#abandon()
      else if (!complete) await stream.finish('drop')
      if (this.#stream === stream) this.#stream = undefined
    }
  }

  async rows(sql: string, bindings: readonly SchemaValue[] = []): Promise<readonly SchemaRow[]> {
    const { rows, columns } = await this.#send(sql, bindings, 0)
    return rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])))
  }

  async run(sql: string, bindings: readonly SchemaValue[] = []): Promise<void> {
    await this.#send(sql, bindings, 0)
  }

  close(): Promise<void> {
    this.usable = false
    return (this.#closed ??= this.#end())
  }

  async #execute(call: BoundStatement): Promise<Answer> {
    const { numbers } = call.statement
    if (numbers === undefined || this.loading) return this.#executeAlone(call)
    await this.run(identityInsert(numbers, 'on'))
    try {
      return await this.#executeAlone(call)
    } finally {
      // It ends with a lost connection, whose error is the one to report.
      await this.run(identityInsert(numbers, 'off')).catch(() => undefined)
    }
  }

  async #executeAlone({ statement, values }: BoundStatement): Promise<Answer> {
    try {
      return await this.#send(this.#textOf(statement.sql), values, this.#statementTimeoutMs)
    } catch (error) {
      if (statement.withTriggers === undefined || !isRefusedForTriggers((error as StoreError).cause)) throw error
      return this.#send(this.#textOf(statement.withTriggers), values, this.#statementTimeoutMs)
    }
  }

  #textOf(sql: string): string {
    return this.#utf8 ? sql : withoutUtf8(sql)
  }

  #send(sql: string, values: readonly unknown[], timeoutMs: number): Promise<Answer> {
    const before = this.#last
    const free = this.#stream ? this.#free().then(() => before) : before
    const answer = free.then(() => this.#ask(sql, values, timeoutMs))
    this.#last = answer.catch(() => {})
    return answer
  }

  #ask(sql: string, values: readonly unknown[], timeoutMs: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const rows: (readonly unknown[])[] = []
      let columns: readonly string[] = []
      const request = new this.#driver.Request(sql, (error, affected = 0) => {
        if (error) reject(this.#translate(error))
        else resolve({ rows, columns, affected })
      })
      request.setTimeout(timeoutMs)
      request.on('columnMetadata', (found) => {
        columns = (found as { colName: string }[]).map(({ colName }) => colName)
      })
      request.on('row', (row: readonly Column[]) => rows.push(row.map(({ value }) => value)))
      this.#submit(request, values)
    })
  }

  #submit(request: Request, values: readonly unknown[]): void {
    if (values.length === 0) this.#client.execSqlBatch(request)
    else {
      const { NVarChar, VarBinary } = this.#driver.TYPES
      for (const [at, value] of values.entries()) {
        if (Buffer.isBuffer(value)) request.addParameter(`p${at + 1}`, VarBinary, value, { length: Infinity })
        else request.addParameter(`p${at + 1}`, NVarChar, toText(value))
      }
      this.#client.execSql(request)
    }
  }

  /** A search that gives its rows one by one. */
  #start(sql: string, values: readonly unknown[], timeoutMs: number) {
    type Listeners = { result?: (row: readonly unknown[]) => void; error?: (error: unknown) => void; end?: () => void }
    const listeners: Listeners = {}
    const done = Promise.withResolvers<void>()
    const request = new this.#driver.Request(sql, (error) => {
      if (error) listeners.error?.(error)
      else listeners.end?.()
      done.resolve()
    })
    request.setTimeout(timeoutMs)
    request.on('row', (row: readonly Column[]) => listeners.result?.(row.map(({ value }) => value)))
    const before = this.#last
    this.#last = done.promise
    return {
      request: {
        on: <K extends keyof Listeners>(event: K, listener: NonNullable<Listeners[K]>) => {
          listeners[event] = listener as Listeners[K]
        },
      },
      flow: { pause: () => request.pause(), resume: () => request.resume() },
      started: () => void before.then(() => this.#submit(request, values)),
    }
  }

  /** Lets the rows of an open search come, so that another statement can run. */
  async #free(): Promise<void> {
    const stream = this.#stream
    await stream?.finish('keep')
    if (this.#stream === stream) this.#stream = undefined
  }

  #translate(error: unknown): StoreError {
    if (isConnectionLoss(error)) this.usable = false
    return translateError(error)
  }

  #abandon(): void {
    this.usable = false
    this.#client.close()
  }

  async #end(): Promise<void> {
    const timer = setTimeout(() => this.#client.close(), closeTimeoutMs)
    await this.#last
    clearTimeout(timer)
    this.#client.close()
  }
}

function toText(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}

/** Lets the session give numbers to rows of one table, or no longer; tables that give none by themselves need it not. */
export function identityInsert(table: string, state: 'on' | 'off'): string {
  const name = `N'${table.replaceAll("'", "''")}'`
  const numbered = `select 1 from sys.columns where object_id = object_id(${name}) and is_identity = 1`
  return `if exists (${numbered}) set identity_insert ${table} ${state}`
}
