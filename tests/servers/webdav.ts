import { mkdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { Background, started } from './background.js'
import { makeFolder } from './folders.js'
import { takeTestPort } from '../../packages/manager-core/src/lib/testing/take-ports.js'

/** A private WebDAV server with one user: `rclone serve webdav`. */
export interface TestWebdav {
  readonly url: string
  readonly port: number
  readonly user: string
  readonly password: string
  /** A folder for what is stored, empty at first. */
  readonly store: string
  /** Ends it at once. */
  stop(): Promise<void>
  /** `stop()`, and removes the folder. */
  close(): Promise<void>
}

/** Starts one on a free port; needs `rclone`. */
export async function startWebdav(): Promise<TestWebdav> {
  const folder = await makeFolder('webdav')
  const store = join(folder, 'store')
  const port = await takeTestPort()
  const [user, password] = ['backup', 'secret']
  const programs = await started(new Background(userInfo().username, folder), async (background) => {
    await mkdir(store)
    background.spawn('rclone', [
      ...['rclone', 'serve', 'webdav', store, '--addr', `127.0.0.1:${port}`, '--user', user, '--pass', password],
      ...['--config', join(folder, 'rclone.conf'), '--cache-dir', join(folder, 'cache')],
      // Without it, looking at a file that is being written takes 5 seconds.
      ...['--vfs-cache-mode', 'writes', '--vfs-write-back', '0'],
    ])
    await background.listens(port)
  })
  const url = `http://127.0.0.1:${port}`
  return { url, port, user, password, store, stop: () => programs.stop(), close: () => programs.close() }
}
