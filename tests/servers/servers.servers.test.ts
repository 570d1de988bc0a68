import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { freshDatabase, needs, needsOwn, type TestServer } from './index.js'

/** Asks the server of `url` for the current database, over a connection of its own. */
async function currentDatabase(url: string): Promise<unknown> {
  if (url.startsWith('postgres')) {
    const client = new pg.Client(url)
    await client.connect()
    return client.query('select current_database() as name').then(async ({ rows }) => {
      await client.end()
      return (rows as { name: unknown }[])[0]?.name
    })
  }
  const connection = await mysql.createConnection(url)
  const [rows] = await connection.query('select database() as name')
  await connection.end()
  return (rows as { name: unknown }[])[0]?.name
}

for (const name of ['postgresql', 'mysql'] as const) {
  describe(`needs() and freshDatabase()`, () => {
    needs(name, (url) => {
      it('gives a server that clients can use, and databases of their own', async () => {
        const database = await freshDatabase(url)
        const expected = new URL(database.url).pathname.slice(1)
        expect(await currentDatabase(database.url)).toBe(expected)
        await database.drop()
        await expect(currentDatabase(database.url)).rejects.toThrow(expected)
      })
    })
  })

  describe('needsOwn()', () => {
    needsOwn(name, (start) => {
      let server: TestServer

      beforeAll(async () => {
        server = await start()
      })

      afterAll(() => server?.close())

      it('stops and starts on the same port with the same data', async () => {
        const database = await freshDatabase(server.url)
        const { port, pid } = server
        await server.stop()
        expect(server.pid).toBeUndefined()
        await expect(currentDatabase(server.url)).rejects.toThrow()
        await server.start()
        expect(server.port).toBe(port)
        expect(server.pid).not.toBe(pid)
        expect(await currentDatabase(database.url)).toBe(new URL(database.url).pathname.slice(1))
      })

      it('comes back after a crash', async () => {
        await server.stop('SIGKILL')
        await server.start()
        expect(await currentDatabase(server.url)).toBe('test')
      })
    })
  })
}
