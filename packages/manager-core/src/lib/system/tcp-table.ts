import { closeSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'

/** A socket of TCP of this machine, as `/proc/net/tcp` and `/proc/net/tcp6` show it. */
export interface TcpSocket {
  /** As there: address in hexadecimal, a colon, port in hexadecimal. IPv4 within IPv6 is IPv4 here. */
  readonly local: string
  readonly remote: string
  readonly port: number
  readonly state: string
  /** The user whose process made it, or accepted it. */
  readonly uid: number
  /** 0: no process has it yet. */
  readonly inode: string
}

/** States, as they are there. */
export const tcpStates = Object.freeze({ established: '01', listening: '0A' })

const files = ['/proc/net/tcp', '/proc/net/tcp6'] as const
/** What IPv4 within IPv6 begins with. */
const mapped = '0000000000000000FFFF0000'
/** Length of `0100007F:1F90`. */
const longestIPv4 = 13

/** Sockets that listen, by their ports; undefined where sockets cannot be seen, as without `/proc`. */
export function listenersByPort(): ReadonlyMap<number, readonly TcpSocket[]> | undefined {
  const [tcp, tcp6] = files.map(listenersIn)
  if (!tcp) return undefined
  return Map.groupBy([...tcp, ...(tcp6 ?? [])], ({ port }) => port)
}

/** Less than two lines: the kernel reads ahead to the end of what is asked for. */
const pieceLength = 256

/** The kernel shows them first, and walks a large table for the others, which takes some ms: those are not read. */
function listenersIn(file: string): readonly TcpSocket[] | undefined {
  try {
    const descriptor = openSync(file, 'r')
    try {
      return listenersOf(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

function listenersOf(descriptor: number): readonly TcpSocket[] {
  const piece = Buffer.alloc(pieceLength)
  const found: TcpSocket[] = []
  let text = ''
  for (let length, isHeading = true; (length = readSync(descriptor, piece)) > 0;) {
    const lines = (text + piece.toString('latin1', 0, length)).split('\n')
    text = lines.pop() ?? ''
    for (const line of isHeading ? lines.slice(1) : lines) {
      const socket = parseLine(line)
      if (socket?.state !== tcpStates.listening) return found
      found.push(socket)
    }
    if (lines.length > 0) isHeading = false
  }
  return found
}

/** What is looked for in the next reading of a file: the two ends of a connection, as they are in its line. */
type Wanted = Map<string, PromiseWithResolvers<string | undefined>>

const readings = new Map<string, Wanted>()

/**
 * The other end of a connection within this machine, by the addresses of this end, in the form of `TcpSocket`. The kernel walks a large table for each
 * reading, which takes some ms: those who ask at the same time share one, that starts after they asked, and ends with what they
 * look for.
 */
export async function otherEnd(end: {
  readonly local: string
  readonly remote: string
}): Promise<TcpSocket | undefined> {
  for (const [index, file] of files.entries()) {
    const isIPv6 = end.local.length > longestIPv4
    if (isIPv6 && index === 0) continue
    const prefix = index === 0 || isIPv6 ? '' : mapped
    const line = await lineWith(file, ` ${prefix}${end.remote} ${prefix}${end.local} `)
    if (line !== undefined) return parseLine(line)
  }
  return undefined
}

function lineWith(file: string, ends: string): Promise<string | undefined> {
  let wanted = readings.get(file)
  if (!wanted) {
    const started: Wanted = new Map()
    readings.set(file, (wanted = started))
    setImmediate(() => {
      readings.delete(file)
      void readFor(started, file)
    })
  }
  const result = wanted.get(ends) ?? Promise.withResolvers<string | undefined>()
  wanted.set(ends, result)
  return result.promise
}

async function readFor(wanted: Wanted, file: string): Promise<void> {
  // It is not there where IPv6 is switched off.
  const handle = await open(file).catch(() => undefined)
  const read = (size: number) => handle?.read({ buffer: Buffer.alloc(size) }).catch(() => undefined)
  let text = ''
  // In small pieces at first: few connections are no reason to walk the whole table.
  for (let size = 4096; wanted.size > 0; size = Math.min(size * 2, 65_536)) {
    const piece = await read(size)
    if (!piece || piece.bytesRead === 0) break
    text += piece.buffer.toString('latin1', 0, piece.bytesRead)
    const rest = text.lastIndexOf('\n') + 1
    // There are thousands of lines: this one is looked for before any is taken apart.
    for (const [ends, { resolve }] of wanted) {
      const at = text.lastIndexOf(ends, rest)
      if (at === -1) continue
      wanted.delete(ends)
      resolve(text.slice(text.lastIndexOf('\n', at) + 1, text.indexOf('\n', at)))
    }
    text = text.slice(rest)
  }
  await handle?.close()
  for (const { resolve } of wanted.values()) resolve(undefined)
}

/** `0100007F:1F90` */
export function tcpEnd(address: string, port: number): string {
  const bytes = address.split('.').map(Number).toReversed()
  return `${bytes.map((byte) => hex(byte, 2)).join('')}:${hex(port, 4)}`
}

function hex(value: number, length: number): string {
  return value.toString(16).toUpperCase().padStart(length, '0')
}

function parseLine(line: string): TcpSocket | undefined {
  const [, local, remote, state, , , , uid, , inode] = line.trim().split(/\s+/)
  if (local === undefined || remote === undefined || state === undefined || inode === undefined) return undefined
  const plain = (end: string) => (end.startsWith(mapped) ? end.slice(mapped.length) : end)
  const port = Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16)
  return { local: plain(local), remote: plain(remote), port, state, uid: Number(uid), inode }
}
