import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A program of another user that has taken a port, answers as a healthy instance does, and keeps what it gets. */
export interface Squatter {
  readonly pid: number
  /** All that it got until now. */
  received(): string
  close(): Promise<void>
}

const program = `
const { createServer } = require('node:net')
const body = '[platform]\\nstatus=OK\\n'
createServer((socket) => {
  socket.on('error', () => {}).on('data', (data) => {
    process.stdout.write(data)
    socket.end('HTTP/1.1 200 OK\\r\\nContent-Length: ' + body.length + '\\r\\n\\r\\n' + body)
  })
}).listen(Number(process.argv[1]), '127.0.0.1', () => process.stderr.write('listens\\n'))
  .on('error', (error) => process.stderr.write(error.code + '\\n', () => process.exit(1)))
`

/** @param uid user that takes it @throws Error when it cannot be taken */
export async function squat(port: number, uid: number): Promise<Squatter> {
  const rights = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--no-new-privs', '--inh-caps=-all', '--']
  const child = spawn('setpriv', [...rights, process.execPath, '-e', program, String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let received = ''
  child.stdout.on('data', (data) => (received += String(data)))
  const [said] = (await once(child.stderr, 'data')) as [Buffer]
  if (!String(said).startsWith('listens')) throw new Error(`The port ${port} cannot be taken: ${String(said)}`)
  return {
    pid: child.pid ?? 0,
    received: () => received,
    async close() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
