import { chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { TestFileServer } from '../../../../../tests/servers/file-server.js'
import { openTarget, type BackupTarget } from '../../index.js'

/** A server of files for the tests of a group. */
export interface StoreOfTests<Server extends TestFileServer> {
  readonly server: Server
  /** An empty folder on it for each test. */
  readonly path: string
  /** A connection to the folder, with some options changed; closed after the tests. */
  open(changed?: Record<string, string>, environment?: Record<string, string>): Promise<BackupTarget>
  /** Makes the server's user the owner of a file. */
  give(path: string): void
}

/** Starts it before the tests of the group that this is called in, and closes it after them. */
export function storeOfTests<Server extends TestFileServer>(
  type: 'ftp' | 'scp',
  start: () => Promise<Server>,
): StoreOfTests<Server> {
  let server: Server
  let path: string
  const opened: BackupTarget[] = []
  const give = (file: string) => {
    const { uid, gid } = statSync(server.store)
    chownSync(file, uid, gid)
  }
  beforeAll(async () => {
    server = await start()
  })
  beforeEach(({ task }) => {
    mkdirSync((path = join(server.store, task.id)))
    give(path)
  })
  afterAll(async () => {
    await Promise.all(opened.map((target) => target.close()))
    await server?.close()
  })
  return {
    get server() {
      return server
    },
    get path() {
      return path
    },
    async open(changed = {}, environment) {
      const target = await openTarget({ type, options: { ...server.options, path, ...changed }, environment })
      opened.push(target)
      return target
    },
    give,
  }
}
