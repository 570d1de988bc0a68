import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** @returns an open file that holds a secret and has no name any more; the caller closes it. */
export function openSecret(secret: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'steward-'))
  try {
    const file = join(folder, 'secret')
    writeFileSync(file, secret, { mode: 0o600 })
    return openSync(file, 'r')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
