import { once } from 'node:events'
import { chmodSync, linkSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { mayHaveSockets, removeIfEmpty, socketFolder, socketFolderOf } from '../system/socket-folder.js'
import { copiesOf, servingCopy } from './copies.js'
import type { InstanceRef } from './runtime.js'

/*
 * Where the reverse proxy reaches an instance: a Unix socket in a folder of root's, which no other user can take, not even
 * after the instance has ended. The instance cannot replace it either: it gets the socket listening, from what starts it.
 */

/** A new one, that nothing connects to yet. */
export interface InstanceSocket {
  /** File of this process, for a child. */
  readonly fd: number
  /** Puts it in place of the former one, as a child has it. */
  publish(): void
  /** Ends this process's part of it. May be repeated. */
  close(): void
}

/** Its path, whether it is there or not. */
export function socketPathOf({ folder, copy = servingCopy(folder) }: InstanceRef): string {
  return join(socketFolderOf(folder), `${copy}.sock`)
}

/** Path of that which is there; undefined: the instance takes requests at its port only. */
export function socketOf(ref: InstanceRef): string | undefined {
  if (!mayHaveSockets()) return undefined
  const path = socketPathOf(ref)
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isSocket() && stats.uid === 0 ? path : undefined
}

/** @returns undefined where there can be none. @throws what the file system says */
export async function makeSocket(ref: InstanceRef): Promise<InstanceSocket | undefined> {
  if (!socketFolder(ref.folder)) return undefined
  const path = socketPathOf(ref)
  const [made, next] = [`${path}.${process.pid}`, `${path}.new`]
  for (const each of [made, next]) rmSync(each, { force: true })
  const server = createServer().listen(made)
  await once(server, 'listening')
  // Any program of this machine may connect, as to a port.
  chmodSync(made, 0o666)
  // Node removes the path that it made when it closes the socket.
  linkSync(made, next)
  const { fd } = (server as unknown as { readonly _handle: { readonly fd: number } })._handle
  const close = () => {
    server.close()
    rmSync(next, { force: true })
  }
  return {
    fd,
    publish() {
      // From now on only the child accepts.
      server.close()
      renameSync(next, path)
    },
    close,
  }
}

/** Removes those of the copies that are meant. */
export function removeSockets(ref: InstanceRef): void {
  if (!mayHaveSockets()) return
  for (const copy of copiesOf(ref)) rmSync(socketPathOf({ ...ref, copy }), { force: true })
  removeIfEmpty(socketFolderOf(ref.folder))
}
