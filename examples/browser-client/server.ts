import { createApp } from './app.ts'

const { app } = await createApp('books.db', process.env['READER_PASSWORD'] ?? 'reader-one')
app.listen(8082, '127.0.0.1', () => console.log('http://127.0.0.1:8082, as "reader" with the password "reader-one"'))
