import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { foldersOfBackups } from './backup-folders.js'

it('foldersOfBackups() leaves out what the file system keeps for itself, and no folder of an instance', async () => {
  const root = mkdtempSync(join(tmpdir(), 'steward-saves-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  chmodSync(root, 0o755)
  for (const name of ['demo', 'open-folder']) mkdirSync(join(root, name))
  for (const name of ['closed', 'lost+found']) mkdirSync(join(root, name), { mode: 0 })
  const uid = process.geteuid?.() ?? 0
  // Root may enter each.
  if (uid === 0) process.seteuid?.(65_534)
  const found = await foldersOfBackups(root).finally(() => uid === 0 && process.seteuid?.(0))
  expect(found.toSorted()).toEqual(['closed', 'demo', 'open-folder'])
})
