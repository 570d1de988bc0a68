import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { takeTestPort } from '../../packages/manager-core/src/lib/testing/take-ports.js'
import { startNginx } from '../servers/nginx.js'
import { startApp } from '../../packages/app-server/src/running-app-for-test.js'
import type { RunningApp } from '../../packages/app-server/src/running-app-for-test.js'

/** The processes that serve one application. */
export interface RunningTopology {
  /** What clients call. */
  readonly origin: string
  /** The servers themselves, the first of which has the right time. */
  readonly servers: readonly RunningApp[]
  /** Processes that take requests now. */
  pids(): number[]
  /** Ends a process as a crash does; it is replaced, by the primary or by this call. */
  kill(pid: number): Promise<void>
  stop(): Promise<void>
}

export interface Place {
  readonly folder: string
  readonly env: Record<string, string>
}

export type Topology = (place: Place) => Promise<RunningTopology>

export const topologies: Readonly<Record<string, Topology>> = {
  'one process': (place) => serversOf([() => startApp([place.folder], { env: place.env })]),
  'four workers': async ({ folder, env }) => {
    const app = await startApp([folder, '--workers', '4'], { env })
    const started = () => [...app.errors().matchAll(/takes requests \(pid (\d+)\)/g)].map(([, pid]) => Number(pid))
    const ended = () => [...app.errors().matchAll(/\(pid (\d+)\) ended by/g)].map(([, pid]) => Number(pid))
    return {
      origin: app.origin,
      servers: [app],
      pids: () => started().filter((pid) => !ended().includes(pid)),
      async kill(pid) {
        process.kill(pid, 'SIGKILL')
      },
      stop: async () => void (await app.end()),
    }
  },
  'two servers behind nginx': async ({ folder, env }) => {
    const shared = {
      ...env,
      STEWARD_TOKEN_SECRET: randomBytes(32).toString('base64'),
      STEWARD_DOCUMENTS: join(folder, 'documents'),
    }
    const port = await takeTestPort()
    const [one, two] = [await takeTestPort(), await takeTestPort()]
    const start =
      (number: number, more: Record<string, string> = {}) =>
      () =>
        startApp([folder, '--data', join(folder, `data${number}`)], {
          env: { ...shared, STEWARD_PORT: String(number === 1 ? one : two), ...more },
        })
    // The clock of the second server is an hour ahead.
    const ahead = 'const { now } = Date; Date.now = () => now() + 3600000'
    const clock = `--import=data:text/javascript,${encodeURIComponent(ahead)}`
    const servers = await serversOf([start(1), start(2, { NODE_OPTIONS: clock })])
    const nginx = await startNginx({
      lines: [
        `upstream app { server 127.0.0.1:${one} max_fails=0; server 127.0.0.1:${two} max_fails=0; }`,
        `server { listen 127.0.0.1:${port}; location / {`,
        '  proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;',
        '  proxy_read_timeout 300s; } }',
      ],
    })
    return {
      ...servers,
      get servers() {
        return servers.servers
      },
      origin: `http://127.0.0.1:${port}`,
      async stop() {
        await nginx.close()
        await servers.stop()
      },
    }
  },
}

/** Servers that nothing else replaces. */
async function serversOf(starts: readonly (() => Promise<RunningApp>)[]): Promise<RunningTopology> {
  const running = await Promise.all(starts.map((start) => start()))
  return {
    get origin() {
      return running[0]?.origin ?? ''
    },
    servers: running,
    pids: () => running.flatMap(({ process: { pid } }) => pid ?? []),
    async kill(pid) {
      const at = running.findIndex(({ process: child }) => child.pid === pid)
      await running[at]?.end('SIGKILL')
      running[at] = await (starts[at] as () => Promise<RunningApp>)()
    },
    stop: async () => void (await Promise.all(running.map((app) => app.end()))),
  }
}
