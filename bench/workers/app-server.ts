import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../../packages/app-server/dist/cli.js', import.meta.url))

/** The password of the administrator, and of users that a bench creates. */
export const password = 'a password of benchmarks'

export interface BenchServer {
  readonly origin: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts the application server for the application in `folder`, on a free port. */
export async function startServer(folder: string, database: string, args: readonly string[]): Promise<BenchServer> {
  const child = spawn(process.execPath, [cli, folder, '--port', '0', ...args], {
    env: { ...process.env, NODE_ENV: 'production', STEWARD_DATABASE: database, STEWARD_ADMIN_PASSWORD: password },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let output = ''
  const origin = await new Promise<string>((found, failed) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
      if (address && output.includes('Stop:')) found(address)
    })
    child.once('exit', () => failed(new Error('The server ended.')))
  })
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  return { origin, pid: child.pid as number, stop }
}
