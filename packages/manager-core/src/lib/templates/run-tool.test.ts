import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { leavesChild } from '../testing/leaves-child.js'
import { runTool } from './run-tool.js'

/** Runs this script in the place of git. */
function runScript(script: string, secrets: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'steward-tool-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const environment = { PATH: `${folder}:${process.env['PATH']}` }
  return runTool('git', { args: [], attempt: 'Cannot fetch it', environment, folder, secrets })
}

it('does not wait for a child that git leaves, such as a shared connection', async () => {
  const { script, lives } = leavesChild()
  expect(await runScript(`${script} echo fetched`)).toBe('fetched')
  expect(lives()).toBe(true)
})

it('shows no part of a secret, wherever the output is cut', async () => {
  const secret = 'c'.repeat(1999)
  const said = runScript(`echo 'fatal: ${secret} is wrong' >&2; exit 128`, [secret])
  await expect(said).rejects.toMatchObject({ code: 'ERR_TEMPLATE', message: 'Cannot fetch it: *** is wrong' })
})
