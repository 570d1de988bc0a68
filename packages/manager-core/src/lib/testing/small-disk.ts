import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether this process may mount small file systems, which are full soon. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'steward-disk-'))
  try {
    mountMemory(folder, '40m')
    unmount(folder)
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @param size as in `40m` */
export function mountMemory(folder: string, size: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'pipe' })
}

/** A process that was killed a moment ago may have files open there still; its memory is free when it is gone. */
export function unmount(folder: string): void {
  execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' })
}
