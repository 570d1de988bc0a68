import { connect, type Socket } from 'node:net'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, needs, type FreshDatabase } from '../../../tests/servers/index.js'
import { basic, makeFolder } from './running-app-for-test.js'
import { adminPassword, serveHere, type ServedHere } from './serve-here-for-test.js'

const admin = basic('admin', adminPassword)
const [ann, bob] = [basic('ann', 'passport-1'), basic('bob', 'passport-2')]

/** A session of the database beside those of the server. */
interface Sql {
  run(sql: string): Promise<unknown>
  number(sql: string): Promise<number>
  close(): Promise<void>
}

async function openSql(url: string): Promise<Sql> {
  if (url.startsWith('postgres')) {
    const client = new pg.Client(url)
    await client.connect()
    return {
      run: (sql) => client.query(sql),
      number: async (sql) => Number(Object.values((await client.query(sql)).rows[0] as object)[0]),
      close: () => client.end(),
    }
  }
  const client = await mysql.createConnection(url)
  return {
    run: (sql) => client.query(sql),
    number: async (sql) => Number(Object.values(((await client.query(sql))[0] as object[])[0] as object)[0]),
    close: () => client.end(),
  }
}

const sqlOf = {
  postgresql: {
    fill: `insert into note (not_text) select repeat(md5(n::text), 300) from generate_series(1, 4000) n`,
    lock: 'begin; lock table note in access exclusive mode',
    unlock: 'rollback',
    waiting: `select count(*) from pg_stat_activity where wait_event_type = 'Lock'`,
  },
  mysql: {
    fill: `insert into note (not_text) select repeat(md5(seq), 300) from seq_1_to_4000`,
    lock: 'lock tables note write',
    unlock: 'unlock tables',
    waiting: `select count(*) from information_schema.processlist where state like 'Waiting for table%'`,
  },
} as const

describe.each(['postgresql', 'mysql'] as const)('the connections of %s', (name) => {
  needs(name, (url) => {
    const cleanUps: (() => Promise<unknown>)[] = []
    const sql = sqlOf[name]
    let database: FreshDatabase
    let session: Sql
    let served: ServedHere

    const call: ServedHere['call'] = (...request) => served.call(...request)

    async function create(object: string, values: object): Promise<string> {
      const { status, text } = await call('POST', `/api/rest/${object}`, admin, values)
      expect([status, text]).toEqual([200, expect.anything()])
      return (JSON.parse(text) as { row_id: string }).row_id
    }

    beforeAll(async () => {
      database = await freshDatabase(url)
      const { folder, remove } = await makeFolder({
        'app.yaml': 'name: shop\nversion: 1.0.0\nlog: { format: none }\npublicUser: ann\n',
        'objects/note.yaml': 'name: Note\ntimestamps: false\nfields:\n  not_text: { type: text }\n',
        'objects/customer.yaml': 'name: Customer\nfields:\n  cus_name: { type: string }\n',
      })
      cleanUps.push(remove, () => database.drop())
      served = await serveHere(folder, database.url)
      cleanUps.push(() => served.close())
      session = await openSql(database.url)
      cleanUps.push(() => session.close())
      const group = await create('Group', { grp_name: 'CLERK' })
      for (const object of ['Note', 'Customer'])
        await create('Grant', { grt_group_id: group, grt_object: object, grt_rights: 'CRUD' })
      for (const [login, password] of [
        ['ann', 'passport-1'],
        ['bob', 'passport-2'],
      ]) {
        const user = await create('User', { usr_login: login, usr_password: password })
        await create('Responsibility', { rsp_login_id: user, rsp_group_id: group })
      }
      await create('Customer', { cus_name: 'First' })
      await create('SystemParam', { sys_code: 'USE_WEBSERVICES_OBJECTPOOL', sys_value: 'yes' })
      await session.run(sql.fill)
    })

    afterAll(async () => {
      for (const cleanUp of cleanUps.toReversed()) await cleanUp()
    })

    /** Everything that another user does. */
    async function othersAreServed(): Promise<void> {
      const rest = '/api/rest/Customer'
      const answers = {
        get: await call('GET', `${rest}/1`, bob),
        page: await call('GET', `${rest}?_page=0`, bob),
        count: await call('GET', `${rest}?_count=true`, bob),
        all: await call('GET', rest, bob),
        update: await call('PUT', `${rest}/1`, bob, { cus_name: 'Changed' }),
        create: await call('POST', rest, bob, { cus_name: 'New' }),
        batch: await call('POST', `${rest}/_batch`, bob, [{ action: 'create', values: { cus_name: 'Another' } }]),
        login: await call('POST', '/api/login', bob),
        ping: await call('GET', '/ping'),
      }
      const statuses = Object.fromEntries(Object.entries(answers).map(([key, { status }]) => [key, status]))
      expect(statuses).toEqual(Object.fromEntries(Object.keys(answers).map((key) => [key, 200])))
    }

    it('serve others while a user, and visitors as that user, read ten streams and take nothing of them', async () => {
      const sockets: Socket[] = []
      try {
        const started = Array.from({ length: 10 }, (_, at) => {
          const socket = connect(served.port, '127.0.0.1')
          sockets.push(socket)
          const who = at % 2 === 0 ? `Authorization: ${ann.Authorization}\r\n` : ''
          socket.write(`GET /api/rest/Note HTTP/1.1\r\nHost: localhost\r\n${who}\r\n`)
          return new Promise<string>((resolve, reject) => {
            socket.once('error', reject)
            socket.once('data', (data) => {
              socket.pause()
              resolve(data.toString('latin1').slice(9, 12))
            })
          })
        })
        const statuses = await Promise.all(started)
        expect(statuses.filter((status) => status === '200')).toHaveLength(4)
        expect(statuses.filter((status) => status === '503')).toHaveLength(6)
        await othersAreServed()
      } finally {
        for (const socket of sockets) socket.destroy()
      }
    })

    it('serve others while a user, and visitors as that user, keep the database busy', async () => {
      const holder = await openSql(database.url)
      try {
        await holder.run(sql.lock)
        const busy = Array.from({ length: 20 }, (_, at) =>
          call('POST', '/api/rest/Note/_search', at % 2 === 0 ? ann : {}, {
            _count: 'true',
            _filter: "not_text like '%0x%'",
          }),
        )
        await expect.poll(() => session.number(sql.waiting)).toBe(8)
        await othersAreServed()
        const { status, text } = await Promise.race(busy)
        expect([status, (JSON.parse(text) as { error: string }).error]).toEqual([
          503,
          'The server is busy: too many requests use the database. Try again.',
        ])
        await holder.run(sql.unlock)
        await Promise.all(busy)
      } finally {
        await holder.close()
      }
    })
  })
})
