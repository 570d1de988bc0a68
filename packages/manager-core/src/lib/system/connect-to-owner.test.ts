import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { askOwner } from './ask-owner.js'
import { connectToOwner } from './connect-to-owner.js'

const seen = vi.hoisted(() => ({ look: undefined as (() => Promise<void>) | undefined }))
vi.mock('./tcp-table.js', async (original) => {
  const table = await original<typeof import('./tcp-table.js')>()
  const otherEnd: typeof table.otherEnd = async (end) => {
    const found = await table.otherEnd(end)
    await seen.look?.()
    return found
  }
  return { ...table, otherEnd }
})

const owner = { uids: [process.getuid?.() ?? 0] }

describe.runIf(process.platform === 'linux')('a program that ends while its connection is looked at', () => {
  let server: Server
  let port: number
  let accepted: Promise<Socket>
  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    accepted = once(server, 'connection').then(([socket]) => socket as Socket)
    seen.look = async () => {
      const socket = await accepted
      const closed = once(socket, 'close')
      socket.on('error', () => {}).end()
      await closed
      // This end has learnt it as well.
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })
  afterEach(() => {
    seen.look = undefined
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
})
