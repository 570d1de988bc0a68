import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { endProcessesOf } from '../testing/end-processes.js'
import { createProcessRuntime } from './create-process-runtime.js'

const folder = mkdtempSync(join(tmpdir(), 'steward runtime '))
afterEach(async () => {
  await endProcessesOf(folder)
  rmSync(folder, { recursive: true, force: true })
})

test('it starts and stops', async () => {
  const runtime = createProcessRuntime()
  const spec = {
    id: 'a',
    folder,
    command: [
      process.execPath,
      '-e',
      'setInterval(() => console.log("hi"), 100); process.on("SIGTERM", () => process.exit(3))',
    ],
    workingFolder: folder,
    port: 1,
    environment: { A: 'x' },
    log: { maxBytes: 1e6, keep: 1 },
  }
  await runtime.define(spec)
  await runtime.start(spec)
  expect(await runtime.observe(spec)).toMatchObject({ state: 'started', restarts: 0 })
  console.log(await runtime.processes(spec))
  await expect.poll(() => readFileSync(join(folder, 'logs/application.log'), 'utf8')).toContain('hi')
  expect(await runtime.stop(spec, { graceMs: 5000 })).toEqual({ wasRunning: true, code: 3 })
  expect(await runtime.observe(spec)).toMatchObject({ state: 'stopped' })
})
