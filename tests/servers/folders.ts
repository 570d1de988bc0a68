import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const prefix = 'steward-test'

/**
 * Makes an empty folder which the user of a database server can enter (that user is not ours when we are root). Its
 * name holds our process id, so that a later run can remove it should this one be killed.
 */
export async function makeFolder(purpose: string): Promise<string> {
  const folder = mkdtempSync(join(publicTempFolder(), `${prefix}-${process.pid}-${purpose}-`))
  await chmod(folder, 0o755)
  return folder
}

/**
 * Gives temporary files of this process and of those that it starts a folder of their own (TMPDIR).
 *
 * @returns what removes it, after ending the processes that were left in it: instances of a manager go on by themselves.
 */
export async function ownTempFolder(): Promise<() => void> {
  const before = process.env.TMPDIR
  const folder = await makeFolder('run')
  process.env.TMPDIR = folder
  return () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    removeFolder(folder)
  }
}

/** Removes folders of processes that ended without cleaning up. */
export function removeAbandonedFolders(): void {
  const base = publicTempFolder()
  for (const name of readdirSync(base)) {
    const pid = new RegExp(`^${prefix}-(\\d+)-`).exec(name)?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    try {
      removeFolder(join(base, name))
    } catch {
      // Another user's; that user's next run removes it.
    }
  }
}

function removeFolder(folder: string): void {
  for (const pid of processesIn(folder)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended meanwhile.
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Those whose command line names it; none where there is no /proc. */
function processesIn(folder: string): number[] {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    return pids.filter((pid) => commandLine(pid).includes(`${folder}/`)).map(Number)
  } catch {
    return []
  }
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** The system's folder for temporary files, unless a parent of it is closed to other users. */
function publicTempFolder(): string {
  return [tmpdir(), '/tmp', '/var/tmp'].find(isOpenToAll) ?? tmpdir()
}

function isOpenToAll(folder: string): boolean {
  try {
    if ((statSync(folder).mode & 0o001) === 0) return false
  } catch {
    return false
  }
  return dirname(folder) === folder || isOpenToAll(dirname(folder))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
