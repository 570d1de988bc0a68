import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A manager's home in a temporary folder, with the least of a `config.sh`; remove it after the test. */
export function createTestHome(lines: readonly string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), 'steward-manager-'))
  const config = ['export APPS_BASEURL=http://localhost:8000', ...lines]
  writeFileSync(join(folder, 'config.sh'), `${config.join('\n')}\n`, { mode: 0o600 })
  return folder
}
