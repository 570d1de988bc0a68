import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HookName } from '../hooks/hooks.js'

/** A hook of a home, as a shell script. */
export function writeHook(home: string, hook: HookName, script: string): void {
  mkdirSync(join(home, 'hooks'), { recursive: true })
  writeFileSync(join(home, 'hooks', `${hook}.sh`), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}
