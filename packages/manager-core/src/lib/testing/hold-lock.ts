import { spawn } from 'node:child_process'
import { createLocks } from '../system/locks.js'

// Holds a lock, has a child that outlives it, prints the child's pid and waits to be killed.
const [folder, key] = process.argv.slice(2) as [string, string]
const lock = createLocks(folder).tryAcquire([key], `hold-lock, process ${process.pid}`)
if (!lock) throw new Error('It is taken.')
const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
child.unref()
process.stdout.write(`${child.pid}\n`)
setInterval(() => lock, 60_000)
