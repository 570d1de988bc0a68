import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { statOf } from '../system/process-table.js'

export interface LeftChild {
  /** For a shell: starts a child in a session of its own, which keeps the outputs of the shell until the test is over. */
  readonly script: string
  /** Whether it was started, and still keeps them. */
  readonly lives: () => boolean
}

/** What a hostile program does so that who waits for the end of its outputs waits without end. */
export function leavesChild(): LeftChild {
  const folder = mkdtempSync(join(tmpdir(), 'steward-child-'))
  const [keep, pid, child] = ['keep', 'pid', 'child.sh'].map((name) => join(folder, name)) as [string, string, string]
  writeFileSync(keep, '')
  writeFileSync(child, `echo $$ > '${pid}.new'; mv '${pid}.new' '${pid}'; while [ -e '${keep}' ]; do sleep 0.05; done`)
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return {
    // The child says itself that it is there: the shell ends after that.
    script: `setsid /bin/sh '${child}' & while ! [ -e '${pid}' ]; do sleep 0.01; done;`,
    lives: () => existsSync(pid) && statOf(Number(readFileSync(pid, 'utf8'))) !== undefined,
  }
}
