/** Makes the database of this example, as if it had always been there: `node make-database.ts [file]`. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'

const [, , file = 'data/shop.db'] = process.argv
mkdirSync(dirname(file), { recursive: true })
for (const part of ['', '-wal', '-shm']) rmSync(file + part, { force: true })
const database = new Database(file)
database.exec(readFileSync(new URL('schema.sql', import.meta.url), 'utf8'))
database.close()
