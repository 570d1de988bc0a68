// A thread that reads for the store. Node also runs it from source: what it imports of this package ends in `.ts` and imports nothing itself.
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { decimalSum, decimalSumName } from './decimal-text.ts'
import type { VendorError } from './errors.js'
import type { ReaderAnswer, ReaderData, ReaderRequest } from './reader-protocol.js'
import { stopCheck, stopCheckName } from './stop-check.ts'

const { filename, batchBytes, stop } = workerData as ReaderData
const port = parentPort
if (!port) throw new Error('This file is started as a worker thread by the SQLite store.')

interface Search {
  readonly connection: Database.Database
  readonly rows: IterableIterator<unknown>
  readonly most: number
  /** Read, and too large for the last answer. */
  next: readonly unknown[] | undefined
}

const goesOn = stopCheck(new Int32Array(stop))
const searches = new Map<number, Search>()
/**
 * An open search pins its connection to the state of the database at its start, so each one has a connection to itself,
 * and other statements use one without a search.
 */
const idle: Database.Database[] = []
const mostIdle = 4
let checkpointing: Database.Database | undefined

port.on('message', (request: ReaderRequest) => {
  try {
    answer(request)
  } catch (error) {
    if (!('job' in request)) return // The main connection has a bound of its own for the log.
    finish(request.job)
    const { code, message } = error as VendorError
    send({ kind: 'failed', job: request.job, error: { ...(code === undefined ? {} : { code }), message } })
  }
})

function answer(request: ReaderRequest): void {
  switch (request.kind) {
    case 'value': {
      const { job, sql, values } = request
      return once((connection) =>
        send({ kind: 'value', job, value: connection.prepare(sql).pluck().get(values) as number }),
      )
    }
    case 'search': {
      const connection = take()
      try {
        const rows = connection.prepare(request.sql).raw().iterate(request.values)
        searches.set(request.job, { connection, rows, most: request.most, next: undefined })
      } catch (error) {
        give(connection)
        throw error
      }
      return sendRows(request.job)
    }
    case 'more':
      return sendRows(request.job)
    case 'cancel':
      return finish(request.job)
    case 'checkpoint':
      checkpointing ??= new Database(filename, { timeout: 0 })
      checkpointing.pragma('wal_checkpoint(passive)')
      return
    case 'end':
      port?.close()
      for (const job of searches.keys()) finish(job)
      for (const connection of idle) connection.close()
      checkpointing?.close()
  }
}

function once(work: (connection: Database.Database) => void): void {
  const connection = take()
  try {
    work(connection)
  } finally {
    give(connection)
  }
}

function sendRows(job: number): void {
  const search = searches.get(job)
  if (!search) return send({ kind: 'rows', job, rows: [], last: true })
  const rows: (readonly unknown[])[] = search.next ? [search.next] : []
  let bytes = search.next ? sizeOf(search.next) : 0
  let last = false
  search.next = undefined
  while (rows.length < search.most && !search.next && !last) {
    const { done, value } = search.rows.next()
    if (done) {
      last = true
      break
    }
    const row = value as unknown[]
    bytes += sizeOf(row)
    if (rows.length > 0 && bytes > batchBytes) search.next = row
    else rows.push(row)
  }
  if (last) finish(job)
  send({ kind: 'rows', job, rows, last })
}

function sizeOf(row: readonly unknown[]): number {
  let bytes = 0
  for (const value of row)
    bytes += typeof value === 'string' ? value.length : ArrayBuffer.isView(value) ? value.byteLength : 8
  return bytes
}

function finish(job: number): void {
  const search = searches.get(job)
  if (!search) return
  searches.delete(job)
  search.rows.return?.()
  give(search.connection)
}

function take(): Database.Database {
  const kept = idle.pop()
  if (kept) return kept
  const connection = new Database(filename, { readonly: true, fileMustExist: true, timeout: 1_000 })
  // There may be many; the system caches the file anyway.
  connection.pragma('cache_size = -2000')
  connection.aggregate(decimalSumName, decimalSum)
  connection.function(stopCheckName, goesOn)
  return connection
}

function give(connection: Database.Database): void {
  if (idle.length < mostIdle) idle.push(connection)
  else connection.close()
}

function send(message: ReaderAnswer): void {
  port?.postMessage(message)
}
