// A lock between processes: a folder that holds its owner. Node built-ins only, Node 20 and newer.
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs `work` while no other process runs work under the same `folder`. A lock whose owner has died is taken over.
 *
 * @template T
 * @param {string} folder becomes the lock; its parent is created
 * @param {(holdFor: (pid: number | undefined) => void) => Promise<T>} work calls `holdFor` with each child process whose
 *   work must be over, too, before another may start, even if this process is killed
 * @param {{ onWait?: (pid: number) => void, pollMs?: number, signal?: AbortSignal }} [options] `onWait` is called once,
 *   with the owner; `signal` ends the waiting, not the work
 * @returns {Promise<T>}
 */
export async function locked(folder, work, { onWait = () => {}, pollMs = 100, signal } = {}) {
  /** @type {Owner} */
  const self = { token: randomUUID(), processes: [identity(process.pid)] }
  let waits = false
  while (!acquire(folder, self)) {
    const owner = readOwner(folder)
    const [busy] = owner?.processes.filter(isAlive) ?? []
    if (!busy) {
      takeAway(folder, owner)
      continue
    }
    if (!waits) onWait(busy.pid)
    waits = true
    await sleep(pollMs, undefined, { signal })
  }
  try {
    return await work((pid) => {
      if (pid === undefined) return
      self.processes.push(identity(pid))
      writeOwner(folder, self)
    })
  } finally {
    if (readOwner(folder)?.token === self.token) fs.rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @typedef {{ pid: number, started: string }} Identity of a process: its start time distinguishes it from a later one with the
 *   same id
 * @typedef {{ token: string, processes: Identity[] }} Owner of a lock, until the last of its processes has ended
 */

/**
 * The folder appears together with its content (a rename), so no process ever sees a lock without an owner.
 *
 * @param {string} folder
 * @param {Owner} self
 */
function acquire(folder, self) {
  const draft = `${folder}.${self.token}`
  fs.mkdirSync(draft, { recursive: true })
  writeOwner(draft, self)
  try {
    fs.renameSync(draft, folder)
    return true
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true })
    const { code = '' } = /** @type {NodeJS.ErrnoException} */ (error)
    if (['ENOTEMPTY', 'EEXIST'].includes(code) || fs.existsSync(folder)) return false
    throw error
  }
}

/**
 * @param {string} folder
 * @param {Owner} owner
 */
function writeOwner(folder, owner) {
  const draft = path.join(folder, `owner.${owner.token}`)
  fs.writeFileSync(draft, JSON.stringify(owner))
  fs.renameSync(draft, path.join(folder, 'owner.json'))
}

/**
 * @param {string} folder
 * @returns {Owner | undefined} undefined when there is no lock
 */
function readOwner(folder) {
  try {
    return JSON.parse(fs.readFileSync(path.join(folder, 'owner.json'), 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Removes the lock of a dead owner. Another process may have replaced it meanwhile; then that lock is put back.
 *
 * @param {string} folder
 * @param {Owner | undefined} dead
 */
function takeAway(folder, dead) {
  const aside = `${folder}.${randomUUID()}`
  try {
    fs.renameSync(folder, aside)
  } catch {
    return
  }
  if (readOwner(aside)?.token === dead?.token) fs.rmSync(aside, { recursive: true, force: true })
  else fs.renameSync(aside, folder)
}

/**
 * @param {number} pid
 * @returns {Identity}
 */
function identity(pid) {
  return { pid, started: startTime(pid) }
}

/** @param {Identity} identity */
function isAlive({ pid, started }) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH') return false
  }
  return startTime(pid) === started
}

/**
 * When a process started, in the kernel's clock ticks; empty on systems other than Linux.
 *
 * @param {number} pid
 */
function startTime(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
