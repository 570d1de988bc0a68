import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

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
  const [tcp, tcp6] = files.map(textOf)
  // At least its heading is there.
  if (!tcp) return undefined
  const listening = [...parse(tcp), ...parse(tcp6 ?? '')].filter(({ state }) => state === tcpStates.listening)
  return Map.groupBy(listening, ({ port }) => port)
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

const readings = new Map<string, Promise<string>>()

/**
 * The other end of a connection within this machine, by the addresses of this end, in the form of `TcpSocket`. The kernel walks a large table for each
 * reading, which takes some ms: those who ask at the same time share one, that starts after they asked.
 */
export async function otherEnd(end: {
  readonly local: string
  readonly remote: string
}): Promise<TcpSocket | undefined> {
  for (const [index, file] of files.entries()) {
    const isIPv6 = end.local.length > longestIPv4
    if (isIPv6 && index === 0) continue
    const prefix = index === 0 || isIPv6 ? '' : mapped
    const text = await nextReading(file)
    // There are thousands of lines: this one is looked for before any is taken apart.
    const at = text.indexOf(` ${prefix}${end.remote} ${prefix}${end.local} `)
    if (at === -1) continue
    return parseLine(text.slice(text.lastIndexOf('\n', at) + 1, text.indexOf('\n', at)))
  }
  return undefined
}

function nextReading(file: string): Promise<string> {
  const known = readings.get(file)
  if (known) return known
  const reading = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    readings.delete(file)
    return readFile(file, 'utf8').catch(() => '')
  })
  readings.set(file, reading)
  return reading
}

/** `0100007F:1F90` */
export function tcpEnd(address: string, port: number): string {
  const bytes = address.split('.').map(Number).toReversed()
  return `${bytes.map((byte) => hex(byte, 2)).join('')}:${hex(port, 4)}`
}

function hex(value: number, length: number): string {
  return value.toString(16).toUpperCase().padStart(length, '0')
}

function parse(text: string): readonly TcpSocket[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => parseLine(line) ?? [])
}

function parseLine(line: string): TcpSocket | undefined {
  const [, local, remote, state, , , , uid, , inode] = line.trim().split(/\s+/)
  if (local === undefined || remote === undefined || state === undefined || inode === undefined) return undefined
  const plain = (end: string) => (end.startsWith(mapped) ? end.slice(mapped.length) : end)
  const port = Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16)
  return { local: plain(local), remote: plain(remote), port, state, uid: Number(uid), inode }
}
