import type { Socket } from 'node:net'
import pg from 'pg'

/** A connection to H2, in the mode that speaks another database's SQL. Statements run one after the other. */
export interface H2Client {
  /** Values come as the texts that the server writes, bytes as Buffers. */
  query(sql: string): Promise<H2Result>
  /** Ends the statement that runs. */
  cancel(): void
  close(): Promise<void>
}

export interface H2Result {
  readonly names: readonly string[]
  readonly rows: readonly (readonly (string | Buffer | null)[])[]
  readonly count: number
}

/** PostgreSQL's Flush: nothing happens. */
const flushMessage = Buffer.from([0x48, 0, 0, 0, 4])
/** What an answer ends with, but for the state of the transaction: ready for the next statement. */
const ready = Buffer.from([0x5a, 0, 0, 0, 5])

/** @param mode as H2 calls it, e.g. `Oracle` */
export async function openH2(url: string, mode: string, setUp: readonly string[] = []): Promise<H2Client> {
  const client = new pg.Client(url)
  client.on('error', () => {}) // Callers that wait get the error.
  await client.connect()
  // H2 writes an answer in pieces, and sends the next when the kernel has confirmed the one before, which takes it 40 ms
  // unless there is something to send along.
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.on('data', (chunk: Buffer) => {
    if (!chunk.subarray(-6, -1).equals(ready)) stream.write(flushMessage)
  })
  for (const sql of [`set mode ${mode}`, ...setUp]) await client.query(sql)
  const bytes: number = pg.types.builtins.BYTEA
  const types = {
    getTypeParser: (id: number) => (id === bytes ? pg.types.getTypeParser(bytes) : (value: string) => value),
  }
  return {
    async query(sql) {
      // Without parameters: H2 would have to guess their types, and one that is NULL ends the connection.
      const { rows, fields, rowCount } = await client.query<(string | Buffer | null)[]>({
        text: sql,
        rowMode: 'array',
        types,
      })
      return { names: (fields ?? []).map(({ name }) => name), rows: rows ?? [], count: rowCount ?? 0 }
    },
    cancel() {
      const other = new pg.Client(url)
      other.on('error', () => {})
      const { processID, secretKey } = client as unknown as { processID: number; secretKey: number }
      const { connection } = other as unknown as {
        connection: { connect(port: number, host: string): void; on(name: string, listener: () => void): void } & {
          cancel(process: number, key: number): void
        }
      }
      connection.on('connect', () => connection.cancel(processID, secretKey))
      connection.connect(other.port, other.host)
    },
    close: () => client.end(),
  }
}

/** Removes a database. */
export async function shutDown(url: string): Promise<void> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  await client.query('shutdown immediately').catch(() => undefined)
  await client.end().catch(() => undefined)
}

/** A value as it is written in a statement. */
export function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Buffer.isBuffer(value)) return `x'${value.toString('hex')}'`
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`
}
