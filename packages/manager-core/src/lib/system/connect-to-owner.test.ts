import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { askOwner } from './ask-owner.js'
import { connectToOwner } from './connect-to-owner.js'

const seen = vi.hoisted(() => ({ look: undefined as (() => Promise<'open' | 'nothing'>) | undefined }))
vi.mock('./tcp-table.js', async (original) => {
  const table = await original<typeof import('./tcp-table.js')>()
  const otherEnd: typeof table.otherEnd = async (end) => {
    if (!seen.look) return table.otherEnd(end)
    if ((await seen.look()) === 'nothing') return undefined
    // As it was read before.
    return { ...end, port: 0, state: table.tcpStates.established, uid: process.getuid!(), inode: '1' }
  }
  return { ...table, otherEnd }
})

const owner = { uids: [process.getuid?.() ?? 0] }

describe.runIf(process.platform === 'linux')('a program that ends while its connection is looked at', () => {
  let server: Server
  let port: number
  let made: Socket
  const note = (message: unknown) => (made = (message as { socket: Socket }).socket)
  beforeEach(async () => {
    server = createServer((socket) => socket.on('error', () => {}).end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    subscribe('net.client.socket', note)
    seen.look = async () => {
      if (!made.destroyed) await once(made, 'close')
      return 'open'
    }
  })
  afterEach(() => {
    seen.look = undefined
    unsubscribe('net.client.socket', note)
    server.close()
  })

  it('fails connectToOwner(): no closed connection is handed on', async () => {
    await expect(connectToOwner({ port, owner })).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('fails askOwner(): it does not wait for an answer forever', async () => {
    const { signal } = new AbortController()
    const asked = askOwner({ port, owner }, { method: 'GET', path: '/', headers: {}, body: '', signal })
    await expect(asked).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('fails connectToOwner() as closed, not as one of another user, when its owner is not seen any more', async () => {
    const { look } = seen
    seen.look = async () => {
      await look?.()
      return 'nothing'
    }
    await expect(connectToOwner({ port, owner })).rejects.toMatchObject({ code: 'ECONNRESET' })
  })
})
