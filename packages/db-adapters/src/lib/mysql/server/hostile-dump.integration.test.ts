import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needs } from '../../../../../../tests/servers/index.js'
import { createDatabaseServer } from '../../create-database-server.js'
import type { DatabaseAccount } from '../../server/database-server.js'

const secret = 'TOP-SECRET-OF-THE-CLIENT'
let folder: string
let file: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-hostile-dump-'))
  file = join(folder, 'secret')
  writeFileSync(file, `${secret}\n`)
})
afterAll(() => rmSync(folder, { recursive: true }))

needs('mysql', (url) => {
  const { hostname: host, port, username: user, password } = new URL(url)
  const server = createDatabaseServer({ type: 'mysql', host, port: Number(port), user, password })
  const given: DatabaseAccount = { name: `hostile_${process.pid}`, user: `hostile_${process.pid}`, password: 'x' }
  let dump: string
  beforeAll(async () => {
    await server.create(given)
    const { content } = await server.dump(given)
    dump = await text(content)
  })
  afterAll(() => server.drop(given))

  const table = 'create table loot (line text);\n'
  const load = () => `load data local infile '${file}' into table loot`
  it.each([
    [
      'that reads a file is refused with its line',
      () => `${table}${load()};\n${dump}`,
      /statement that reads files in line 2/,
    ],
    [
      'that hides this is refused by the client',
      () => `${table}delimiter //\nselect 1//\n${load()}//\n${dump}`,
      /at line 4: .*local/,
    ],
  ])('a dump %s', async (_what, hostile, message) => {
    await expect(server.restore(given, Readable.from([Buffer.from(hostile())]))).rejects.toMatchObject({
      code: 'ERR_DUMP',
      message: expect.stringMatching(message),
    })
    expect(await server.isEmpty(given)).toBe(true)
  })

  it.each(['\\! id', 'system id', 'source /etc/passwd', '\\. /etc/passwd'])(
    'a dump with the command %s is no command for the client',
    async (command) => {
      const hostile = `${table}${command} > ${join(folder, 'planted')}\n;\n${dump}`
      await expect(server.restore(given, Readable.from([Buffer.from(hostile)]))).rejects.toMatchObject({
        code: expect.stringMatching(/^ERR_(DUMP|FAILED)$/),
        output: expect.stringMatching(/ERROR 1064 .* at line 2: You have an error|ERROR at line 2: Unknown command/),
      })
      expect(existsSync(join(folder, 'planted'))).toBe(false)
      expect(await server.isEmpty(given)).toBe(true)
    },
  )

  it('a dump of names and texts that look like commands comes back as it was', async () => {
    const to = { ...given, name: `${given.name}_to`, user: `${given.user}_to` }
    await server.create(to)
    const connection = await mysql.createConnection({ host, port: Number(port), ...given, database: given.name })
    const name = 'a\n;\nload data local infile'
    await connection.query(`create table \`${name}\` (t text comment '\n;\nload data')`)
    await connection.query(`insert into \`${name}\` values ('\n;\nload data local infile \\'x\\';')`)
    await connection.end()
    await server.copy(given, to)
    expect(await server.statistics(to)).toMatchObject({ rows: { [name]: 1 } })
    await server.drop(to)
  })
})

/** A server that answers each statement of a program by asking for a file of its machine; to the driver it says 0. */
async function startRogue(): Promise<{ readonly port: number; readonly got: string[]; close(): void }> {
  const got: string[] = []
  const sockets = new Set<Socket>()
  const rogue = createServer((socket) => {
    sockets.add(socket)
    let pending = Buffer.alloc(0)
    let state: 'login' | 'statements' | 'file' = 'login'
    let isDriver = false
    const send = (sequence: number, ...payload: readonly (string | readonly number[])[]) => {
      const body = Buffer.concat(
        payload.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
      )
      socket.write(Buffer.concat([Buffer.from([body.length & 255, body.length >> 8, 0, sequence]), body]))
    }
    const ok = [0, 0, 0, 2, 0, 0, 0]
    const end = [0xfe, 0, 0, 2, 0]
    // Protocol 10, all capabilities but TLS, compression and the end of EOF packets.
    send(
      0,
      [10],
      '8.0.99\0',
      [1, 0, 0, 0],
      'aaaaaaaa',
      [0, 0xdf, 0xf7, 45, 2, 0, 0x1f, 0x00, 21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      'aaaaaaaaaaaa\0',
      'mysql_native_password\0',
    )
    socket.on('error', () => {})
    socket.on('data', (data) => {
      pending = Buffer.concat([pending, data])
      while (pending.length >= 4 && pending.length >= 4 + pending.readUIntLE(0, 3)) {
        const length = pending.readUIntLE(0, 3)
        const sequence = pending[3] as number
        const payload = pending.subarray(4, 4 + length)
        pending = pending.subarray(4 + length)
        if (state === 'login') {
          isDriver = payload.includes('Node-MySQL-2')
          send(sequence + 1, ok)
          state = 'statements'
        } else if (state === 'file') {
          got.push(payload.toString())
          if (length > 0) continue
          send(sequence + 1, [0xff, 0x28, 0x04], '#42000refused')
          state = 'statements'
        } else if (payload[0] !== 3) send(1, ok)
        else if (isDriver && payload.includes('has_tables')) {
          send(1, [1])
          send(2, [3], 'def', [0, 0, 0, 10], 'has_tables', [0, 12, 63, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0])
          send(3, end)
          send(4, [1], '0')
          send(5, end)
        } else {
          got.push('asked')
          send(1, [0xfb], file)
          state = 'file'
        }
      }
    })
  })
  rogue.listen(0, '127.0.0.1')
  await once(rogue, 'listening')
  const { port } = rogue.address() as AddressInfo
  return {
    port,
    got,
    close() {
      for (const socket of sockets) socket.destroy()
      rogue.close()
    },
  }
}

it('a server that asks for a file of its client gets nothing', async ({ skip, onTestFinished }) => {
  const rogue = await startRogue()
  onTestFinished(() => rogue.close())
  const server = createDatabaseServer({
    type: 'mysql',
    host: '127.0.0.1',
    port: rogue.port,
    user: 'root',
    password: 'x',
  })
  const given: DatabaseAccount = { name: 'victim', user: 'victim', password: 'x' }
  const client = await server.client(given).catch(() => skip('no client of MySQL is installed'))
  const asked = () => rogue.got.filter((each) => each === 'asked').length
  const attempts: readonly (() => Promise<unknown>)[] = [
    () => promisify(execFile)(client.command, [...client.args, '-e', 'select 1'], { env: { ...client.environment } }),
    () => server.restore(given, Readable.from([Buffer.from('select 1;\n-- Dump completed\n')])),
    async () => {
      const { content, done } = await server.dump(given)
      content.resume()
      await done
    },
    () => server.statistics(given),
  ]
  for (const attempt of attempts) {
    const before = asked()
    await expect(attempt()).rejects.toThrow()
    expect(asked()).toBeGreaterThan(before)
  }
  expect(rogue.got.join('')).not.toContain(secret)
})
