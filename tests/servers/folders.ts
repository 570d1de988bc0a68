import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const prefix = 'steward-test'
/** A folder in memory, as Linux has it. */
const memoryFolder = '/dev/shm'

/**
 * Makes an empty folder which the user of a database server can enter (that user is not ours when we are root). Its
 * name holds our process id, so that a later run can remove it should this one be killed.
 */
export async function makeFolder(purpose: string, base = publicTempFolder()): Promise<string> {
  const folder = mkdtempSync(join(base, `${prefix}-${process.pid}-${purpose}-`))
  await chmod(folder, 0o755)
  return folder
}

/**
 * Gives temporary files of this process and of those that it starts a folder of their own (TMPDIR): in memory where that
 * is possible and the user has not set TMPDIR, as databases wait for the disk most of the time otherwise.
 *
 * @returns what removes it, after ending the processes that were left in it: instances of a manager continue by themselves.
 */
export async function ownTempFolder(): Promise<() => void> {
  const before = process.env.TMPDIR
  const folder = await makeFolder('run', before === undefined && isMemoryUsable() ? memoryFolder : undefined)
  process.env.TMPDIR = folder
  return () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    removeFolder(folder)
  }
}

/** Removes folders of processes that ended without cleaning up. */
export function removeAbandonedFolders(): void {
  const bases = new Set([publicTempFolder(), ...(isOpenToAll(memoryFolder) ? [memoryFolder] : [])])
  for (const base of bases) removeAbandonedFoldersIn(base)
}

function removeAbandonedFoldersIn(base: string): void {
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

/** Whether there is a folder in memory with room enough, in which programs can be run. */
function isMemoryUsable(): boolean {
  const enough = 6 * 1024 ** 3
  let probe: string | undefined
  try {
    const { bavail, bsize } = statfsSync(memoryFolder)
    if (bavail * bsize < enough || freemem() < enough) return false
    probe = mkdtempSync(join(memoryFolder, `${prefix}-${process.pid}-probe-`))
    writeFileSync(join(probe, 'program'), '#!/bin/sh\n', { mode: 0o700 })
    return spawnSync(join(probe, 'program')).status === 0
  } catch {
    return false
  } finally {
    if (probe !== undefined) rmSync(probe, { recursive: true, force: true })
  }
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
