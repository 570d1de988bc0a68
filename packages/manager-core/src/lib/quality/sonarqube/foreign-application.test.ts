import {
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { findScanner } from './find-scanner.js'
import { runScanner } from './run-scanner.js'

const uid = 54_321
let base: string
let app: string

/** An application of another user, with a scanner of its own. */
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'steward-scanned-'))
  app = join(base, 'app')
  const files = {
    'objects/a.ts': 'export {}',
    'sonar-project.properties': 'sonar.nodejs.executable=/tmp/evil',
    'node_modules/@sonar/scan/package.json': '{"bin":{"sonar":"evil.js"}}',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(app, path)), { recursive: true })
    writeFileSync(join(app, path), text)
  }
  writeFileSync(join(base, 'secret.ts'), 'secret')
  symlinkSync('../secret.ts', join(app, 'link.ts'))
  if (process.getuid?.() !== 0) return
  for (const path of ['', ...Object.keys(files), 'objects']) chownSync(join(app, path), uid, uid)
  lchownSync(join(app, 'link.ts'), uid, uid)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(base, { recursive: true })
})

it.runIf(process.getuid?.() === 0)('findScanner() takes none of an application that has an account', () => {
  vi.stubEnv('PATH', base)
  // There may be one of the manager.
  let found: readonly string[] = []
  try {
    found = findScanner(undefined, app)
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_STATE' })
  }
  expect(found.join()).not.toContain(app)
  for (const path of ['', 'node_modules/@sonar/scan/package.json']) chownSync(join(app, path), 0, 0)
  expect(findScanner(undefined, app)).toEqual([process.execPath, join(app, 'node_modules/@sonar/scan/evil.js')])
})

it('runScanner() shows the scanner the files of a module, no links, no others, and no settings for it', async () => {
  const scanner = join(base, 'scanner')
  const script = [
    '#!/bin/sh',
    `{ printf '%s\\n' "$@"; find . -type f -o -type l; } >${base}/seen`,
    'for arg; do case "$arg" in -Dsonar.working.directory=*) echo ceTaskId=T1 >"${arg#*=}/report-task.txt";; esac; done',
  ]
  writeFileSync(scanner, `${script.join('\n')}\n`, { mode: 0o755 })
  await runScanner({
    scanner: [scanner],
    server: { url: 'http://127.0.0.1:1' },
    project: 'shop',
    application: { instance: { id: '1', name: 'demo' }, folder: app, findings: [] },
    module: {
      name: 'objects',
      files: ['objects/a.ts', 'link.ts', '../secret.ts', join(base, 'secret.ts'), 'sonar-project.properties', 'a,b'],
    },
    timeoutMs: 60_000,
  })
  const seen = readFileSync(join(base, 'seen'), 'utf8').split('\n')
  expect(seen.filter((line) => line.startsWith('./'))).toEqual(['./objects/a.ts'])
  expect(seen).toContain('-Dsonar.sources=objects/a.ts')
  expect(seen.join('\n')).not.toContain(app)
})
