import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listenersByPort, otherEnd, tcpEnd, tcpStates } from './tcp-table.js'

const uid = process.getuid?.()

describe.runIf(process.platform === 'linux')('the table of TCP', () => {
  async function listening(host: string): Promise<{ readonly port: number; readonly accepted: Socket[] }> {
    const accepted: Socket[] = []
    const server = createServer((socket) => accepted.push(socket.on('error', () => {}))).listen(0, host)
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    return { port: (server.address() as AddressInfo).port, accepted }
  }
  async function connected(port: number): Promise<Socket> {
    const client = connect(port, '127.0.0.1').on('error', () => {})
    onTestFinished(() => void client.destroy())
    await once(client, 'connect')
    return client
  }
  const endOf = ({ localPort = 0, remotePort = 0 }: Socket) => ({
    local: tcpEnd('127.0.0.1', localPort),
    remote: tcpEnd('127.0.0.1', remotePort),
  })

  it('listenersByPort() has all that listen, however many there are, and no connection', async () => {
    const servers = await Promise.all(Array.from({ length: 20 }, () => listening('127.0.0.1')))
    await Promise.all(servers.map(({ port }) => connected(port)))
    const found = listenersByPort()
    for (const { port } of servers)
      expect(found?.get(port)).toMatchObject([
        { local: tcpEnd('127.0.0.1', port), port, state: tcpStates.listening, uid },
      ])
    const states = new Set([...(found?.values() ?? [])].flat().map(({ state }) => state))
    expect(states).toEqual(new Set([tcpStates.listening]))
  })

  it.each(['127.0.0.1', '::'])('otherEnd() finds each of many, and none that is not there, at %s', async (host) => {
    const { port, accepted } = await listening(host)
    const clients = await Promise.all(Array.from({ length: 60 }, () => connected(port)))
    await expect.poll(() => accepted.length).toBe(clients.length)
    const ends = clients.map(endOf)
    const none = { local: tcpEnd('127.0.0.1', 1), remote: tcpEnd('127.0.0.1', port) }
    const [missing, ...found] = await Promise.all([none, ...ends].map(otherEnd))
    expect(missing).toBeUndefined()
    expect(found).toMatchObject(
      ends.map(({ local, remote }) => ({ local: remote, remote: local, state: tcpStates.established, uid })),
    )
    // Asked for alone, the reading ends with it.
    expect(await otherEnd(ends[0]!)).toEqual(found[0])
  })
})
