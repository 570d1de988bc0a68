import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { basic, startServer } from '../../server-for-test.js'
import { peerUser } from './peer-user.js'

const uid = process.getuid?.() ?? -1
const stranger = 65_533

it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('peerUser() finds the user of a connection to %s', async (host) => {
  const server = createServer()
  onTestFinished(() => void server.close())
  server.listen(0, host === '::1' ? '::1' : '::')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const { connect } = await import('node:net')
  const client = connect(port, host)
  onTestFinished(() => void client.destroy())
  const [socket] = (await once(server, 'connection')) as [Socket]
  expect(await peerUser(socket)).toBe(uid)
  expect(await peerUser({ ...socket, remoteAddress: '192.0.2.1', remotePort: 1 })).toBeUndefined()
  expect(await peerUser({ remoteAddress: '127.0.0.1', remotePort: 1, localAddress: '127.0.0.1', localPort: 1 })).toBe(
    undefined,
  )
})

it.runIf(uid === 0)('wrong passwords of a user of this machine do not lock the operator out', async () => {
  const test = await startServer({ config: ['export APPS_PASSWORD=s3cret', 'export APPS_LOGINATTEMPTS=3'] })
  onTestFinished(() => test.close())
  const code = `
    const url = '${test.server.url}/api?action=whoami'
    const headers = { authorization: '${basic('admin', 'wrong')}' }
    const of = async () => (await fetch(url, { headers })).status
    const all = []
    for (let n = 0; n < 40; n++) all.push(await of())
    console.log(JSON.stringify(all.slice(-1)))`
  const before = [`--reuid=${stranger}`, `--regid=${stranger}`, '--clear-groups', process.execPath, '-e', code]
  const child = spawn('setpriv', before, { cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] })
  expect(await text(child.stdout)).toBe('[429]\n')
  const right = await test.get('/api?action=whoami', { authorization: basic('admin', 's3cret') })
  expect(right.status).toBe(200)
})
