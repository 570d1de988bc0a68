import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { listPids } from './process-table.js'
import { listenersByPort } from './tcp-table.js'

export interface PortHolder {
  readonly pid: number
  readonly command: string
}

/** Who listens on a port, as far as this user may see it; undefined: no process, or one of another user. */
export function portHolder(port: number): PortHolder | undefined {
  const sockets = new Set(
    listeners()
      .filter((each) => each.port === port)
      .map(({ socket }) => socket),
  )
  if (sockets.size === 0) return undefined
  const pid = listPids().find((each) => linksOf(each).some((link) => sockets.has(link)))
  if (pid === undefined) return undefined
  // Another user has chosen it: no controls reach a terminal.
  const command = readText(`/proc/${pid}/cmdline`)
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
  return { pid, command }
}

/** Ports on which these processes listen. */
export function portsOf(pids: readonly number[]): readonly number[] {
  const links = new Set(pids.flatMap(linksOf))
  return [
    ...new Set(
      listeners()
        .filter(({ socket }) => links.has(socket))
        .map(({ port }) => port),
    ),
  ]
}

/** ` (process 4711: /usr/bin/python3 -m http.server 10003)`; empty: it is not known. */
export function describeHolder(port: number): string {
  const holder = portHolder(port)
  if (!holder) return ''
  const { pid, command } = holder
  return ` (process ${pid}: ${command.length > 120 ? `${command.slice(0, 120)}…` : command})`
}

function listeners(): readonly { readonly port: number; readonly socket: string }[] {
  return [...(listenersByPort()?.values() ?? [])]
    .flat()
    .map(({ port, inode }) => ({ port, socket: `socket:[${inode}]` }))
}

function linksOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).flatMap((name) => linkOf(`${folder}/${name}`))
  } catch {
    return []
  }
}

function linkOf(path: string): readonly string[] {
  try {
    return [readlinkSync(path)]
  } catch {
    return []
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
