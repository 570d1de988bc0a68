// Loaded into each instance's Node process with `--import`: rotates its log and opens its debugger for a while. It
// imports nothing but Node, keeps no process alive, and never fails the application.
import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'

const { STEWARD_LOG: log, STEWARD_LOG_MAX_BYTES: maxBytes, STEWARD_LOG_KEEP: keep } = process.env
const { STEWARD_LOG_COPY: copy, STEWARD_LOG_MARKER: marker = '' } = process.env
const { STEWARD_DEBUG_MINUTES: debugMinutes, STEWARD_DEBUG_FILE: debugFile } = process.env

// Threads and children of the application load this, too, and are not to do it once more.
for (const name of ['STEWARD_LOG', 'STEWARD_LOG_MAX_BYTES', 'STEWARD_LOG_KEEP']) delete process.env[name]
for (const name of ['STEWARD_LOG_COPY', 'STEWARD_LOG_MARKER']) delete process.env[name]
for (const name of ['STEWARD_DEBUG_MINUTES', 'STEWARD_DEBUG_FILE']) delete process.env[name]

/** How often the size of the log is looked at. */
const checkMs = 1000

if (log && Number(maxBytes) > 0 && isStandardOutput(log)) {
  setInterval(() => attempt(() => rotate(log, Number(maxBytes), Number(keep))), checkMs).unref()
  attempt(() => rotate(log, Number(maxBytes), Number(keep)))
}
if (debugFile && Number(debugMinutes) > 0) await openDebugger(debugFile, Number(debugMinutes))

/** False when the command is started by hand, with output elsewhere. */
function isStandardOutput(file: string): boolean {
  try {
    const [own, its] = [fstatSync(1), statSync(file)]
    return own.ino === its.ino && own.dev === its.dev
  } catch {
    return false
  }
}

/**
 * Copies the log aside and truncates it: a process that has it open still appends. Node writes to files while nothing else of its
 * thread runs, and so does this: lost can only be what other threads and child processes write in the moment between
 * the last copied byte and the cut. Of two copies of an instance, which have one log, only the one that serves does it.
 */
function rotate(file: string, limit: number, copies: number): void {
  if (statSync(file).size < limit || existsSync(marker) !== (copy === 'b')) return
  if (copies > 0) {
    const beside = `${file}.new`
    copyFileSync(file, beside)
    appendRest(file, beside)
    rmSync(`${file}.${copies}`, { force: true })
    for (let number = copies - 1; number > 0; number--)
      attempt(() => renameSync(`${file}.${number}`, `${file}.${number + 1}`))
    renameSync(beside, `${file}.1`)
  }
  truncateSync(file)
}

/** What was written during the copy. */
function appendRest(file: string, beside: string): void {
  const [from, to] = [openSync(file, 'r'), openSync(beside, 'a')]
  try {
    const buffer = Buffer.alloc(65_536)
    let position = fstatSync(to).size
    for (let read; (read = readSync(from, buffer, 0, buffer.length, position)) > 0; position += read)
      writeSync(to, buffer, 0, read)
  } finally {
    closeSync(from)
    closeSync(to)
  }
}

/** On loopback, on a free port; closed again after that many minutes. */
async function openDebugger(file: string, minutes: number): Promise<void> {
  const inspector = await import('node:inspector')
  attempt(() => {
    inspector.open(0, '127.0.0.1')
    const { host, pathname } = new URL(inspector.url() ?? '')
    // No other process knows the path then.
    const isPrivate = process.execArgv.includes('--inspect-publish-uid=stderr')
    writeFileSync(`${file}.new`, `${host}${isPrivate ? pathname : ''}\n`, { mode: 0o600 })
    renameSync(`${file}.new`, file)
  })
  const close = () => {
    rmSync(file, { force: true })
    inspector.close()
  }
  setTimeout(() => attempt(close), minutes * 60_000).unref()
}

function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // A full disk, or a folder that was taken away: the application keeps running.
  }
}
