import { randomBytes } from 'node:crypto'
import mysql from 'mysql2/promise'
import { expect, it } from 'vitest'
import { needs } from '../../../../../../tests/servers/index.js'
import { createDatabaseServer } from '../../create-database-server.js'
import type { DatabaseAccount } from '../../server/database-server.js'

needs('mysql', (url) => {
  it('dump() has what belongs to users that are gone or others, and leaves out broken views with a warning', async () => {
    const { hostname: host, port, username, password } = new URL(url)
    const server = createDatabaseServer({ type: 'mysql', host, port: Number(port), user: username, password })
    const some = randomBytes(4).toString('hex')
    const account = (label: string): DatabaseAccount => {
      const name = `steward_${label}_${some}`
      return { name, user: name, password: 'secret' }
    }
    const [from, to] = [account('from'), account('to')]
    const [gone, other] = [`'gone_${some}'@'%'`, `'other_${some}'@'%'`]
    const admin = await mysql.createConnection({ uri: url, multipleStatements: true })
    await server.create(from)
    await server.create(to)
    await admin.query(`
      use ${from.name};
      create user ${gone} identified by 'g'; grant all on ${from.name}.* to ${gone};
      create user ${other} identified by 'o'; grant all on ${from.name}.* to ${other};
      create table company (row_id int primary key, name varchar(20)); insert into company values (1, 'a');
      create definer = ${other} function twice(n int) returns int deterministic begin declare x int; set x = n * 2; return x; end;
      create definer = ${other} procedure one_more() insert into company values (2, 'b');
      create function own() returns int deterministic return 7;
      create definer = ${gone} view companies as select row_id, twice(row_id) as two, name from company where name <> '\`x\`.\`y\`';
      create table short (a int); create view broken as select a from short; drop table short;
      drop user ${gone}`)
    const dump = await server.dump(from)
    await server.restore(to, dump.content)
    await dump.done
    expect(dump.warnings).toStrictEqual([expect.stringContaining('View "broken" is not in the dump: ')])
    const user = await mysql.createConnection({
      host,
      port: Number(port),
      user: to.user,
      password: to.password,
      database: to.name,
    })
    await user.query('call one_more()')
    const [rows] = await user.query('select row_id, two, name, own() as own from companies order by row_id')
    expect(rows).toStrictEqual([
      { row_id: 1, two: 2, name: 'a', own: 7 },
      { row_id: 2, two: 4, name: 'b', own: 7 },
    ])
    // A copy of the copy has them, too: now they belong to its user.
    const again = await server.dump(to)
    again.content.resume()
    await again.done
    expect(again.warnings).toStrictEqual([])
    await user.end()
    await admin.query(`drop user ${other}`)
    for (const each of [from, to]) await server.drop(each)
    await admin.end()
    await server.close()
  })
})
