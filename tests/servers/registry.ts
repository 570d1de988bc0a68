import { mkdir, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { takeTestPort } from '../../packages/manager-core/src/lib/testing/take-ports.js'
import { Background, started } from './background.js'
import { makeFolder } from './folders.js'

/** A private registry of images with one user, on all addresses of this machine; without TLS. */
export interface TestRegistry {
  readonly port: number
  readonly user: string
  readonly password: string
  /** `stop()`, and removes the folder. */
  close(): Promise<void>
}

/** The line of `htpasswd -B` for them. */
const [user, password] = ['steward', 'registry-s3cret']
const line = 'steward:$2y$05$iFzceCGGc0N5osP6xob/Re1Bh/tjZoKdp.ZpxXjjkFIRo9m59Pofy'

/** Starts one on a free port; needs `docker-registry`. */
export async function startRegistry(): Promise<TestRegistry> {
  const folder = await makeFolder('registry')
  const port = await takeTestPort()
  const programs = await started(new Background(userInfo().username, folder), async (background) => {
    const images = join(folder, 'images')
    await mkdir(images)
    await writeFile(join(folder, 'htpasswd'), `${line}\n`)
    const lines = [
      'version: 0.1',
      `storage: { filesystem: { rootdirectory: ${images} } }`,
      `http: { addr: ':${port}' }`,
      `auth: { htpasswd: { realm: test, path: ${join(folder, 'htpasswd')} } }`,
    ]
    await writeFile(join(folder, 'registry.yml'), lines.join('\n'))
    background.spawn('registry', ['docker-registry', 'serve', join(folder, 'registry.yml')])
    await background.listens(port)
  })
  return { port, user, password, close: () => programs.close() }
}
