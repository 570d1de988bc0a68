import { mkdtempSync, rmSync, writeFileSync, chownSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { ManagerError } from '../../errors.js'
import { writeAccount } from '../accounts/account.js'
import { homeAt } from '../domain/home.js'
import { connectToOwner } from '../system/connect-to-owner.js'
import { testInstance } from '../testing/made-up-operation.js'
import { createContainerRuntime } from './container/create-container-runtime.js'
import { createProcessRuntime } from './create-process-runtime.js'
import { ownerOfPort } from './owner-of-port.js'
import { reaches } from './reach.js'
import type { Runtime } from './runtime.js'

const me = process.getuid?.() ?? 0
const isRoot = me === 0

const folders: string[] = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })))

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'steward-owner-'))
  folders.push(folder)
  return folder
}

const runs = (runtime: Pick<Runtime, 'ownerOfPort'>) => ({ of: () => runtime as Runtime })
const processes = runs(createProcessRuntime())

describe('ownerOfPort()', () => {
  it('is the account of the instance, and without one the user of the manager', async () => {
    const folder = makeFolder()
    expect(ownerOfPort(processes, { id: 'ademo', folder })).toEqual({ uids: [me] })
    await writeAccount(folder, { name: 'steward-demo', uid: 4711, gid: 4711 })
    expect(ownerOfPort(processes, { id: 'ademo', folder })).toEqual({ uids: [4711] })
  })

  it('is not known without an account that can be read, or without the runtime', () => {
    const folder = makeFolder()
    writeFileSync(join(folder, 'account'), 'nonsense\n')
    expect(ownerOfPort(processes, { id: 'ademo', folder })).toEqual({ uids: [] })
    const of = () => {
      throw new ManagerError('ERR_STATE', 'There is none.')
    }
    expect(ownerOfPort({ of }, { id: 'ademo', folder: makeFolder() })).toEqual({ uids: [] })
  })

  it.runIf(isRoot)('of a container is its user on the network of the host, else the user of the engine', async () => {
    const folder = makeFolder()
    const socket = join(folder, 'engine.sock')
    writeFileSync(socket, '')
    await writeAccount(folder, { name: 'steward-demo', uid: 4711, gid: 4711 })
    const at = (network: string) => ownerOfPort(runs(createContainerRuntime({ socket, network })), { id: 'a', folder })
    expect(at('host')).toEqual({ uids: [4711] })
    expect(at('bridge')).toEqual({ uids: [0], forwarded: true })
    // An engine without root.
    chownSync(socket, 1234, 1234)
    expect(at('bridge')).toEqual({ uids: [1234], forwarded: true })
  })
})

describe('a program that listens at all addresses, as Java does', () => {
  it.each(['127.0.0.1', '0.0.0.0', '::', '::ffff:127.0.0.1'])('is found at %s', async (address) => {
    const server = createServer((socket) => socket.on('error', () => {}).resume())
    await new Promise<void>((resolve) => server.listen(0, address, resolve))
    const { port } = server.address() as AddressInfo
    const home = homeAt(makeFolder())
    const instance = testInstance({ id: 'ademo', port, desired: 'started', observed: 'started' })
    const found = () => reaches({ home, runtimes: processes }, [instance]).get('ademo')
    expect(found()).toEqual({ listens: 'own' })
    const socket = await connectToOwner({ port, owner: { uids: [me] } })
    socket.destroy()
    await expect(connectToOwner({ port, owner: { uids: [me + 1] } })).rejects.toThrow(`a program of user ${me}`)
    await new Promise((resolve) => server.close(resolve))
    expect(found()).toEqual({ listens: 'none' })
  })

  it('elsewhere than at 127.0.0.1 gets none of its connections', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve))
    const { port } = server.address() as AddressInfo
    const instance = testInstance({ id: 'ademo', port })
    expect(reaches({ home: homeAt(makeFolder()), runtimes: processes }, [instance]).get('ademo')).toEqual({
      listens: 'none',
    })
    await new Promise((resolve) => server.close(resolve))
  })
})
