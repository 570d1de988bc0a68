import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

/** What the fake does when a statement has come; `undefined`: it stays silent. */
export type Reply =
  | {
      readonly rows: readonly (readonly string[])[]
      readonly affected?: number
      /** Names of the columns. Default: `c` and their place. */
      readonly names?: readonly string[]
    }
  | { readonly error: number; readonly severity?: number; readonly message?: string }
  | 'cut'
  | undefined

export interface FakeMssqlOptions {
  /** Called with every statement and its values as one text. Default: one row with one column, `1`. */
  readonly reply?: (statement: string) => Reply
  /** Refuses to log in with this error. */
  readonly refuseLogin?: number
  /** Does not answer the order to end a statement. */
  readonly ignoresAttention?: boolean
}

export interface FakeMssql {
  readonly url: string
  /** Connections that were ever opened. */
  readonly opened: number
  /** Those that are open. */
  readonly open: number
  /** Orders to end a statement. */
  readonly attentions: number
  readonly statements: readonly string[]
  close(): Promise<void>
}

const types = { batch: 1, rpc: 3, attention: 6, transaction: 14, login: 16, prelogin: 18 }

/** As much of SQL Server's protocol (TDS 7.4) as a client sees of it, without a database. */
export async function openFakeMssql(options: FakeMssqlOptions = {}): Promise<FakeMssql> {
  const { reply = () => ({ rows: [['1']] }), refuseLogin, ignoresAttention = false } = options
  const sockets = new Set<Socket>()
  const statements: string[] = []
  let opened = 0
  let attentions = 0
  const server = createServer((socket) => {
    opened++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let received = Buffer.alloc(0)
    let message = Buffer.alloc(0)
    socket.on('data', (data) => {
      received = Buffer.concat([received, data])
      while (received.length >= 8 && received.length >= received.readUInt16BE(2)) {
        const [type = 0, status = 0] = received
        message = Buffer.concat([message, received.subarray(8, received.readUInt16BE(2))])
        received = received.subarray(received.readUInt16BE(2))
        if ((status & 1) === 0) continue
        const whole = message
        message = Buffer.alloc(0)
        answer(socket, type, whole)
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  function answer(socket: Socket, type: number, message: Buffer): void {
    if (type === types.prelogin) return send(socket, prelogin)
    if (type === types.login)
      return send(
        socket,
        refuseLogin === undefined ? [loginAck, done()] : [errorToken(refuseLogin, 14, 'Refused.'), done(2)],
      )
    if (type === types.attention) {
      attentions++
      if (ignoresAttention) return
      // The end of the statement, and the acknowledgement.
      send(socket, done())
      send(socket, done(0x20))
      return
    }
    const statement = message.subarray(message.readUInt32LE(0)).toString('utf16le')
    // Every table has a key, and no triggers.
    if (statement.includes('i.is_unique = 1') || statement.includes('is_instead_of_trigger')) {
      const rows = rowTokens([['pk', 'row_id']], ['name', 'column'])
      return send(socket, [...rows, done(0x10, 1)])
    }
    statements.push(statement)
    // What the driver sets by itself, for which it expects no rows.
    if (statement.includes('set textsize')) return send(socket, done())
    const given: Reply = statement.includes('collationproperty')
      ? { rows: [['65001']], names: ['utf8'] }
      : reply(statement)
    if (given === undefined) return
    if (given === 'cut') socket.destroy()
    else if ('error' in given)
      send(socket, [errorToken(given.error, given.severity ?? 16, given.message ?? 'Refused.'), done(2)])
    else send(socket, [...rowTokens(given.rows, given.names), done(0x10, given.affected ?? given.rows.length)])
  }

  return {
    url: `mssql://sa:secret@127.0.0.1:${(server.address() as AddressInfo).port}/test?encrypt=false`,
    get opened() {
      return opened
    },
    get open() {
      return sockets.size
    },
    get attentions() {
      return attentions
    },
    statements,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function send(socket: Socket, tokens: Buffer | readonly Buffer[]): void {
  const body = Buffer.isBuffer(tokens) ? tokens : Buffer.concat(tokens)
  const header = Buffer.from([4, 1, 0, 0, 0, 0, 1, 0])
  header.writeUInt16BE(body.length + 8, 2)
  socket.write(Buffer.concat([header, body]))
}

/** Version 15, and no encryption. */
const prelogin = Buffer.from([0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 255, 15, 0, 0, 0, 0, 0, 2])

const loginAck = token(0xad, [
  Buffer.from([1, 0x74, 0, 0, 4]),
  shortText('Microsoft SQL Server'),
  Buffer.from([15, 0, 0, 0]),
])

function token(type: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([type]), uint16(body.length), body])
}

function errorToken(number: number, severity: number, message: string): Buffer {
  const numbers = Buffer.alloc(6)
  numbers.writeInt32LE(number)
  numbers.set([1, severity], 4)
  const text = [uint16(message.length), Buffer.from(message, 'utf16le')]
  return token(0xaa, [numbers, ...text, shortText('fake'), shortText(''), Buffer.from([1, 0, 0, 0])])
}

function rowTokens(rows: readonly (readonly string[])[], given: readonly string[] = []): Buffer[] {
  const columns = rows[0] ?? []
  if (columns.length === 0) return []
  const type = Buffer.from([0, 0, 0, 0, 1, 0, 0xe7, 0x40, 0x1f, 9, 4, 0xd0, 0, 0x34])
  const names = columns.flatMap((_, at) => [type, shortText(given[at] ?? `c${at}`)])
  const values = rows.flatMap((row) => [
    Buffer.from([0xd1]),
    ...row.flatMap((value) => [uint16(2 * value.length), Buffer.from(value, 'utf16le')]),
  ])
  return [Buffer.from([0x81]), uint16(columns.length), ...names, ...values]
}

function done(status = 0, rows = 0): Buffer {
  const body = Buffer.alloc(13)
  body.writeUInt8(0xfd)
  body.writeUInt16LE(status, 1)
  body.writeBigUInt64LE(BigInt(rows), 5)
  return body
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function shortText(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'utf16le')])
}
