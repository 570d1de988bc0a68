import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { writeAccount } from '../accounts/account.js'
import { putInPlace } from './move-documents.js'

function home() {
  const folder = mkdtempSync(join(tmpdir(), 'steward-documents-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'data'))
  mkdirSync(join(folder, 'new'))
  writeFileSync(join(folder, 'new', 'a'), 'content')
  return folder
}

it('putInPlace() of an instance without an account moves its documents into its data', async () => {
  const folder = home()
  await putInPlace(join(folder, 'new'), folder)
  expect(readFileSync(join(folder, 'data', 'documents', 'a'), 'utf8')).toBe('content')
})

it.runIf(process.getuid?.() === 0)('putInPlace() of an instance with an account gives them to it', async () => {
  const folder = home()
  await writeAccount(folder, { name: 'steward-nobody', uid: 64_001, gid: 64_001 })
  await putInPlace(join(folder, 'new'), folder)
  for (const path of ['documents', 'documents/a']) expect(statSync(join(folder, 'data', path)).uid).toBe(64_001)
})
