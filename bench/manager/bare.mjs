import Database from 'better-sqlite3'
import Koa from 'koa'

// The minimum of an application of this kind: the port is the first argument. Plain JavaScript, because
// taking types out costs a process memory.
const database = new Database(':memory:')
const select = database.prepare('select 1 as one')
const koa = new Koa()
koa.use((context) => {
  context.body = select.get()
})
koa.listen(Number(process.argv[2]), '127.0.0.1')
