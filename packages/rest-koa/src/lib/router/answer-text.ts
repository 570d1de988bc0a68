import { rowsOfBatch } from '@steward/rest-core'
import type { ByteUse } from '@steward/rest-core'
import { send, textHeaders } from '../http/answer.js'
import type { RestCall } from './call.js'
import { jsonArray } from './stream-rows.js'
import type { RowFormat } from './stream-rows.js'

/** A text up to this length is sent as it is, and not counted. */
const small = 65_536

/**
 * The text of an answer that is sent as a whole, made batch by batch: values are not in memory together with it, and it
 * ends with an error when it is larger than an answer may be.
 */
export class AnswerText {
  readonly #format: RowFormat
  readonly #memory: () => ByteUse
  #text = ''
  #parts: Buffer[] = []
  #bytes = 0
  #isEmpty = true

  constructor(format: RowFormat, memory: () => ByteUse) {
    this.#format = format
    this.#memory = memory
  }

  /** @throws RestError ERR_TOO_LARGE, ERR_UNAVAILABLE */
  async add(rows: readonly unknown[]): Promise<void> {
    const text = this.#textOf(rows)
    this.#text = this.#text === '' ? text : this.#text + text
    if (this.#text.length > small) await this.#count()
  }

  /** The same within a transaction, where others may wait. */
  addNow(rows: readonly unknown[]): void {
    const text = this.#textOf(rows)
    this.#bytes += Buffer.byteLength(text)
    this.#text += text
    // Values whose text it is may be counted already.
    if (this.#bytes > small) this.#memory().addNow(Math.max(0, this.#bytes - this.#memory().bytes))
  }

  /** All of it. */
  end(): string | Buffer {
    if (this.#isEmpty) return this.#format.all([])
    const text = this.#text + this.#format.close
    return this.#parts.length === 0 ? text : Buffer.concat([...this.#parts.splice(0), Buffer.from(text)])
  }

  #textOf(rows: readonly unknown[]): string {
    const { open, between } = this.#format
    const before = this.#isEmpty ? open : between
    this.#isEmpty = false
    return before + this.#format.rows(rows)
  }

  async #count(): Promise<void> {
    const bytes = Buffer.byteLength(this.#text)
    const counted = this.#memory().hold(this.#bytes + bytes)
    if (counted) await counted
    this.#bytes += bytes
    this.#parts.push(Buffer.from(this.#text))
    this.#text = ''
  }
}

/** A list as JSON, made batch by batch. */
export async function listAsJson(
  { memory }: Pick<RestCall, 'memory'>,
  rows: readonly unknown[],
): Promise<string | Buffer> {
  const text = new AnswerText(jsonArray, memory)
  for (const batch of inBatches(rows)) await text.add(batch)
  return text.end()
}

/** The same as one text, within a transaction, where others may wait. */
export function listAsText({ memory }: Pick<RestCall, 'memory'>, rows: readonly unknown[]): string {
  const text = new AnswerText(jsonArray, memory)
  for (const batch of inBatches(rows)) text.addNow(batch)
  return text.end().toString()
}

function* inBatches(rows: readonly unknown[]): Generator<readonly unknown[]> {
  for (let at = 0; at < rows.length;) {
    const count = rowsOfBatch(rows.slice(at, at + mostRows), mostRows)
    yield rows.slice(at, at + count)
    at += count
  }
}

const mostRows = 1_000

/** Sends a value as JSON. Its text is counted. */
export async function sendJson(call: RestCall, value: unknown, headers: readonly string[] = []): Promise<void> {
  const text = JSON.stringify(value)
  if (text.length > small) await call.memory().hold(Buffer.byteLength(text))
  send(call.context, call.respond, 200, [...textHeaders(), ...headers], text)
}
