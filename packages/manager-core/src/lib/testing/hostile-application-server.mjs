// A fake application server whose application does harm as soon as the file `harm` in its folder says which:
//   heap       fills the heap of Node without end
//   buffers    fills memory outside of the heap without end
//   reserve    takes memory without end, and never uses it
//   children   has a child that fills memory without end, and continues when that is gone
//   forks      starts processes without end, and continues when it cannot
//   leave      does the same, and ends then
//   files      opens files without end
//   cpu        keeps all CPUs busy, and keeps answering
// After each restart it behaves well until the next request.
import './fake-application-server.mjs'
import { spawn } from 'node:child_process'
import { existsSync, openSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

const file = join(process.argv[2], 'harm')
const kept = []
const silent = { stdio: 'ignore' }
const tell = (text) => process.stdout.write(`${text}\n`)

const harms = {
  heap() {
    for (;;) kept.push(Array.from({ length: 10_000 }, (_, at) => ({ at })))
  },
  buffers() {
    for (;;) kept.push(Buffer.alloc(2 ** 22, 1))
  },
  reserve() {
    for (;;) kept.push(new ArrayBuffer(2 ** 28))
  },
  children() {
    // It keeps a line until it is whole.
    spawn('tail', ['/dev/zero'], silent).on('exit', (code, signal) => tell(`child ended ${code ?? signal}`))
  },
  forks(end = () => undefined) {
    const forking = spawn('/bin/sh', ['-c', 'while :; do sleep 3600 & done'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    forking.on('exit', (code) => {
      tell(`no more forks ${code}`)
      end()
    })
  },
  leave() {
    harms.forks(() => process.exit(3))
  },
  files() {
    for (;;) kept.push(openSync('/dev/null'))
  },
  cpu() {
    for (let number = 0; number < availableParallelism() * 2; number++)
      spawn('/bin/sh', ['-c', 'while :; do :; done'], silent)
  },
}

if (!process.argv.includes('--describe'))
  setInterval(() => {
    if (!existsSync(file)) return
    const harm = readFileSync(file, 'utf8').trim()
    rmSync(file)
    tell(`does harm: ${harm}`)
    harms[harm]()
  }, 20)
