import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canTie, runInto } from '@steward/db-adapters/server'
import { expect, it, onTestFinished } from 'vitest'
import { leavesChild } from '../../testing/leaves-child.js'
import { storeDump } from './store-dump.js'

it('does not wait for a child that keeps the pipe of a dump', async ({ skip }) => {
  if (!(await canTie())) return skip('setpriv of Linux is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'steward-dump-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'dump')
  const child = leavesChild()
  const call = { command: '/bin/sh', args: ['-c', `echo whole; ${child.script}`] }
  const dump = { tools: {}, trailer: '', into: (output: Parameters<typeof runInto>[1]) => runInto(call, output) }
  await storeDump(dump, await open(path, 'wx'), [{ command: 'cat', args: [] }], {})
  expect(child.lives()).toBe(true)
  const file = await open(path)
  expect(await file.readFile('utf8')).toBe('whole\n')
  await file.close()
  return undefined
})
