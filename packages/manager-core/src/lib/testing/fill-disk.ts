import { writeFileSync } from 'node:fs'

/** Makes this file so large that nothing else fits on its file system, which had better be a small one. */
export function fillDisk(file: string): void {
  for (const size of [1_000_000, 100_000, 4096, 1])
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
    } catch {
      // Less fits.
    }
}
