import makeKnex from 'knex'
import { createApp } from './app.ts'

const knex = makeKnex({ client: 'better-sqlite3', connection: { filename: 'tasks.db' }, useNullAsDefault: true })
const { app } = await createApp(knex)
app.listen(8081, '127.0.0.1', () => console.log('http://127.0.0.1:8081/api/rest/Task, as X-Demo-User: ann or bob'))
