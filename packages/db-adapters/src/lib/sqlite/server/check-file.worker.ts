// Looks through a whole database, which takes long. Node also runs it from source: it imports nothing of this package.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const database = new DatabaseSync(workerData as string, { readOnly: true })
const { page_count: pages } = database.prepare('pragma page_count').get() as { page_count: number }
const [first] = database.prepare('pragma quick_check(1)').all() as { quick_check: string }[]
database.close()
parentPort?.postMessage(pages === 0 ? 'it is empty' : first?.quick_check)
