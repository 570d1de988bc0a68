import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { filesBase } from './manifest.js'
import { unpackFiles } from './unpack-files.js'

let test: TestManager
beforeAll(async () => {
  test = await createTestManager()
  await test.perform('add', { name: 'demo', 'no-start': true })
  await test.perform('save', { name: 'demo' })
})
afterAll(() => test.close())
afterEach(() => void vi.unstubAllEnvs())

const hasZstd = execFileSync('/bin/sh', ['-c', 'command -v zstd || true'], { encoding: 'utf8' }).trim()

it.runIf(hasZstd !== '')('unpackFiles() whose programs were disturbed says that the backup is good', async () => {
  const { folder: backup, manifest } = await test.context.backups.find('demo', 'latest')
  const programs = join(test.folder, 'programs')
  mkdirSync(programs)
  // Once, as an account could do with its own processes.
  const script = `#!/bin/sh\ncase "$*" in *-d*) ;; *) exec ${hasZstd} "$@" ;; esac\n[ -e ${programs}/done ] && exec ${hasZstd} "$@"\n: >${programs}/done\n${hasZstd} "$@" | head -c 1024\n`
  writeFileSync(join(programs, 'zstd'), script, { mode: 0o755 })
  vi.stubEnv('PATH', `${programs}:${process.env['PATH']}`)
  const folder = join(test.folder, 'unpacked')
  await expect(unpackFiles(test.context, { backup, manifest, base: filesBase, folder })).rejects.toMatchObject({
    code: 'ERR_FAILED',
    message: expect.stringMatching(
      /files\.tar\.zst is good, but the programs that unpacked it failed or were disturbed: /,
    ),
  })
  expect((await test.context.backups.find('demo', 'latest')).damage).toBeUndefined()
  await unpackFiles(test.context, { backup, manifest, base: filesBase, folder })
})
