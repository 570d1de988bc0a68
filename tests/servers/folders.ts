import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
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

/** Removes folders of processes that ended without cleaning up. */
export function removeAbandonedFolders(): void {
  const base = publicTempFolder()
  for (const name of readdirSync(base)) {
    const pid = new RegExp(`^${prefix}-(\\d+)-`).exec(name)?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    try {
      rmSync(join(base, name), { recursive: true, force: true })
    } catch {
      // Another user's; that user's next run removes it.
    }
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
