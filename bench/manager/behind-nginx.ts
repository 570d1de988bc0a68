import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, startNginx } from '../rest/test-servers.ts'
import { freePort, healthy, managerProgram, openHome, type BenchHome } from './commands.ts'

/** A manager's home that publishes by a private nginx. */
export interface BehindNginx {
  readonly home: BenchHome
  /** Port of nginx. */
  readonly http: number
  /** Where the published files are. */
  readonly published: string
  /** Does this beside `manager serve`, whose process id it gets. */
  serving<T>(work: (pid: number) => Promise<T>): Promise<T>
  /** Ends and removes all. */
  close(): Promise<void>
}

export async function openBehindNginx(config: readonly string[]): Promise<BehindNginx> {
  const published = await makeFolder('bench-proxy')
  const proxy = await startNginx({ include: join(published, 'live') })
  const home = await openHome()
  const port = await freePort()
  appendFileSync(
    join(home.folder, 'config.sh'),
    [
      ...proxy.settings,
      `export APPS_BASEURL=http://localhost:${port}`,
      `export APPS_PROXYDIR=${published}`,
      'export APPS_SSL=false',
      'export APPS_PASSWORD=bench-password',
      ...config,
      '',
    ].join('\n'),
  )
  return {
    home,
    http: proxy.http,
    published,
    async serving(work) {
      const serve = [managerProgram, '--home', home.folder, 'serve', '--listen', `127.0.0.1:${port}`]
      const server = spawn(process.execPath, serve, { stdio: ['ignore', 'ignore', 'inherit'] })
      const ended = once(server, 'exit')
      try {
        await healthy(`http://127.0.0.1:${port}/ping`)
        return await work(server.pid as number)
      } finally {
        server.kill('SIGTERM')
        await ended
      }
    },
    async close() {
      await home.close()
      await proxy.close()
    },
  }
}
