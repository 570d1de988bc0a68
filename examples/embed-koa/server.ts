import { createApp } from './app.ts'

const { app } = await createApp('tasks.db')
app.listen(8081, '127.0.0.1', () => console.log('http://127.0.0.1:8081/api/rest/Task, as X-Demo-User: ann or bob'))
