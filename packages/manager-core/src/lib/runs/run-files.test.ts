import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { identify } from '../system/process-identity.js'
import { createRunFiles } from './run-files.js'
import { newRunId } from './run-id.js'

it('claim() of a run that a process has claimed already is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-runs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = createRunFiles(folder)
  const id = newRunId(new Date())
  await files.create({ id } as never)
  expect(files.worker(id)).toBeUndefined()
  expect(files.claim(id)).toBe(true)
  expect(files.worker(id)).toEqual(identify(process.pid))
  expect(files.claim(id)).toBe(false)
})
