import { batchBytes, rowsOfBatch, sizeOf } from '@steward/rest-core'
import type { StoreError } from '@steward/rest-core/errors'
import type { Lent, Rows, ServerConnection, WriteCounts } from '../../pool/connection.js'
import { nextSize } from '../../pool/row-stream.js'
import type { SchemaRow, SchemaValue } from '../../schema/connection.js'
import type { BoundStatement } from '../../sql/statement.js'
import type { Client, Driver, ExecuteOptions, Result } from './driver.js'
import { isConnectionLoss, translateError } from './errors.js'

export interface OracleConnectionParts {
  readonly client: Client
  readonly driver: Driver
  /** In ms; 0: none. */
  readonly statementTimeoutMs: number
  /** Opened by others, perhaps of a pool: it is not used again when it is closed here. Default false. */
  readonly isForeign?: boolean
}

/** Most rows of one round trip, and of the first one, before it is known how large they are. */
const fetched = { most: 500, first: 50 }

/** A longer text is sent as a CLOB; in bytes. */
const longestText = 4_000

/** A server that does not answer a goodbye is left alone after this. */
const closeTimeoutMs = 5_000

/** One session of Oracle. The driver sends a statement when the one before it has been answered. */
export class OracleConnection implements ServerConnection {
  readonly #client: Client
  readonly #driver: Driver
  readonly #statementTimeoutMs: number
  readonly #isForeign: boolean
  readonly #reading: ExecuteOptions
  #lost = false
  #inTransaction = false
  #closed: Promise<void> | undefined

  constructor({ client, driver, statementTimeoutMs, isForeign = false }: OracleConnectionParts) {
    this.#isForeign = isForeign
    this.#client = client
    this.#driver = driver
    this.#statementTimeoutMs = statementTimeoutMs
    const asText = { type: driver.STRING }
    const asBuffer = { type: driver.BUFFER }
    const texts = new Set([driver.DB_TYPE_NUMBER, driver.DB_TYPE_CLOB, driver.DB_TYPE_NCLOB])
    this.#reading = {
      outFormat: driver.OUT_FORMAT_ARRAY,
      fetchArraySize: fetched.most,
      prefetchRows: 100,
      // Nothing may lose digits; long texts and bytes come with their rows.
      fetchTypeHandler: ({ dbType }) =>
        texts.has(dbType) ? asText : dbType === driver.DB_TYPE_BLOB ? asBuffer : undefined,
    }
  }

  get raw(): object {
    return this.#client
  }

  /** Nothing is committed by itself then. */
  join(isJoined: boolean): void {
    this.#inTransaction = isJoined
  }

  get usable(): boolean {
    return !this.#lost && this.#client.isHealthy()
  }

  async query({ statement, values }: BoundStatement): Promise<Rows> {
    const { sql, outs = 0, once } = statement
    if (outs === 0) return (await this.#send(sql, values, { ...this.#reading, keepInStmtCache: !once })).rows ?? []
    const out = { dir: this.#driver.BIND_OUT, type: this.#driver.STRING, maxSize: longestText }
    const binds = [...values, ...Array.from({ length: outs }, () => out)]
    const { outBinds = [] } = await this.#send(sql, binds, this.#writing)
    const count = outBinds[0]?.length ?? 0
    return Array.from({ length: count }, (_, row) => outBinds.map((column) => column[row] ?? null))
  }

  async change({ statement, values }: BoundStatement): Promise<WriteCounts> {
    const { rowsAffected = 0 } = await this.#send(statement.sql, values, this.#writing)
    return { affected: rowsAffected, insertId: '0' }
  }

  /** The first statement that writes starts it. */
  begin(): Promise<void> {
    this.#inTransaction = true
    return Promise.resolve()
  }

  async commit(): Promise<void> {
    this.#inTransaction = false
    await this.#call(() => this.#client.commit())
  }

  async rollback(): Promise<void> {
    this.#inTransaction = false
    try {
      await this.#call(() => this.#client.rollback())
    } catch (error) {
      this.#lost = true
      throw error
    }
  }

  async lend(): Promise<Lent> {
    return { used: () => {}, translate: (error) => this.#translate(error) }
  }

  async *page(call: BoundStatement): AsyncGenerator<Rows, void, undefined> {
    let batch: Rows = []
    let bytes = 0
    for await (const rows of this.stream(call)) {
      const more = sizeOf(rows)
      if (batch.length > 0 && bytes + more > batchBytes) {
        yield batch
        batch = []
        bytes = 0
      }
      batch = batch.length === 0 ? rows : [...batch, ...rows]
      bytes += more
    }
    if (batch.length > 0) yield batch
  }

  async *stream({ statement, values }: BoundStatement): AsyncGenerator<Rows, void, undefined> {
    const { resultSet } = await this.#send(statement.sql, values, { ...this.#reading, resultSet: true })
    if (!resultSet) return
    try {
      for (let size = fetched.first; ;) {
        const rows = await this.#call(() => resultSet.getRows(size))
        if (rows.length === 0) return
        size = nextSize(size, fetched.most, rows)
        for (let at = 0; at < rows.length;) {
          const count = rowsOfBatch(rows.slice(at), fetched.most)
          yield rows.slice(at, at + count)
          at += count
        }
      }
    } finally {
      await resultSet.close().catch((error: unknown) => void this.#translate(error))
    }
  }

  async rows(sql: string, bindings: readonly SchemaValue[] = []): Promise<readonly SchemaRow[]> {
    this.#client.callTimeout = 0
    const { rows = [], metaData = [] } = await this.#call(() =>
      this.#client.execute(sql, this.#binds(bindings), this.#reading),
    )
    // Names that are not quoted come in capital letters.
    const names = metaData.map(({ name }) => name.toLowerCase())
    return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])))
  }

  async run(sql: string, bindings: readonly SchemaValue[] = []): Promise<void> {
    if (sql === 'begin') return this.begin()
    if (sql === 'commit') return this.commit()
    if (sql === 'rollback') return this.rollback()
    this.#client.callTimeout = 0
    await this.#call(() => this.#client.execute(sql, this.#binds(bindings), this.#writing))
  }

  /** Ends the statement that runs. Tries, and never rejects. */
  async cancel(): Promise<void> {
    await this.#client.break().catch(() => undefined)
  }

  close(): Promise<void> {
    this.#lost = true
    return (this.#closed ??= this.#end())
  }

  get #writing(): ExecuteOptions {
    return { ...this.#reading, autoCommit: !this.#inTransaction }
  }

  #send(sql: string, values: readonly unknown[], options: ExecuteOptions): Promise<Result> {
    this.#client.callTimeout = this.#statementTimeoutMs
    return this.#call(async () => {
      const binds = this.#binds(values)
      // The driver would bind no bytes as NULL.
      const empty = await Promise.all(
        values.filter(isNoBytes).map(() => this.#client.createLob(this.#driver.DB_TYPE_BLOB)),
      )
      if (empty.length === 0) return this.#client.execute(sql, binds, options)
      try {
        const lobs = empty.values()
        const given = binds.map((bind, at) => (isNoBytes(values[at]) ? lobs.next().value : bind))
        return await this.#client.execute(sql, given, options)
      } finally {
        for (const lob of empty) await lob.close().catch(() => undefined)
      }
    })
  }

  async #call<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw this.#translate(error)
    }
  }

  #translate(error: unknown): StoreError {
    if (isConnectionLoss(error)) this.#lost = true
    return translateError(error)
  }

  #binds(values: readonly unknown[]): unknown[] {
    return values.map((value) => {
      if (Buffer.isBuffer(value)) return { val: value, type: this.#driver.DB_TYPE_BLOB }
      return typeof value === 'string' && isLong(value) ? { val: value, type: this.#driver.CLOB } : (value ?? null)
    })
  }

  async #end(): Promise<void> {
    const ended = Promise.withResolvers<void>()
    const timer = setTimeout(() => ended.resolve(), closeTimeoutMs)
    const closing = this.#isForeign ? this.#client.close({ drop: true }) : this.#client.close()
    closing.then(ended.resolve, () => ended.resolve())
    await ended.promise
    clearTimeout(timer)
  }
}

function isLong(text: string): boolean {
  return text.length > longestText / 4 && Buffer.byteLength(text) > longestText
}

function isNoBytes(value: unknown): boolean {
  return Buffer.isBuffer(value) && value.length === 0
}
