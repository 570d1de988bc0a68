import { createHash } from 'node:crypto'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { Encrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import type { Manifest } from './backup.js'
import { manifestName, manifestText } from './manifest.js'

let test: TestManager
let recipient: string
/** It exists when the attacker's code ran. */
const mark = () => join(test.folder, 'executed')
const evil = () => join(test.folder, 'evil.sh')
const seen = () => readFileSync(join(test.home, 'seen'), 'utf8')

beforeAll(async () => {
  const identity = await generateIdentity()
  recipient = await identityToRecipient(identity)
  test = await createTestManager()
  writeFileSync(join(test.folder, 'identity'), identity, { mode: 0o600 })
  const config = [
    'export SHARED=of-hooks',
    `APPS_BACKUP_RECIPIENTS=${recipient}`,
    `APPS_BACKUP_IDENTITY=${test.folder}/identity`,
  ]
  appendFileSync(join(test.home, 'config.sh'), `${config.join('\n')}\n`)
  writeFileSync(evil(), `touch '${mark()}'\n`)
  mkdirSync(test.context.home.hooks)
  const hook = join(test.context.home.hooks, 'post-start.sh')
  writeFileSync(hook, '#!/bin/bash\nenv > "$APPS_HOME/seen"\n')
  chmodSync(hook, 0o755)
  await test.perform('add', { name: 'demo', 'no-start': true })
})

afterAll(() => test.close())

const names = `BASH_ENV ENV SHELLOPTS PS4 IFS PATH LD_PRELOAD LD_LIBRARY_PATH NODE_OPTIONS PYTHONPATH PYTHONSTARTUP
  PERL5LIB PERL5OPT GIT_SSH_COMMAND GIT_EXEC_PATH HOME SSH_ASKPASS APPS_HOME STEWARD_HOST CDPATH GLOBIGNORE`.split(
  /\s+/,
)

/** Makes the attacker's settings part of a backup, encrypted with the public key that its manifest shows. */
async function forge(isEncrypted: boolean): Promise<string> {
  const { key, folder, manifest } = await test.context.backups.find('demo', 'latest')
  const own = readFileSync(test.path('demo', 'settings.sh'), 'utf8')
  const more = [
    ...names.map((name) => `export ${name}='${evil()}'`),
    'export SHARED=mine',
    'export COLOR=blue',
    'export SERVICE_LIMIT_MEMORY=65536',
    'export SERVICE_REPLICAS=50',
    'export SERVICE_PLACEMENT=zone=a',
    'export SERVICE_DEBUG=true',
    'export SERVICE_QUALITY_URL=https://quality.example.org',
  ]
  const plain = Buffer.from(`${own}\n${more.join('\n')}\n`)
  const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  const packed = zstdCompressSync(plain)
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  const stored = isEncrypted ? await encrypter.encrypt(packed) : packed
  const name = isEncrypted ? 'settings.sh.zst.age' : 'settings.sh.zst'
  const measures = { size: stored.length, sha256: hashOf(stored), plainSize: plain.length, plainSha256: hashOf(plain) }
  const files = [...manifest.files.filter((one) => one.name !== name), { name, ...measures }]
  writeFileSync(join(folder, name), stored)
  writeFileSync(join(folder, manifestName), manifestText({ ...manifest, secrets: true, files } satisfies Manifest))
  return key
}

it('settings in plain are refused, in every way to restore them', async () => {
  const config = readFileSync(join(test.home, 'config.sh'), 'utf8')
  writeFileSync(join(test.home, 'config.sh'), config.replaceAll(/^APPS_BACKUP_.*\n/gm, ''))
  await test.perform('save', { name: 'demo' })
  await forge(false)
  const refused = { code: 'ERR_BACKUP', message: expect.stringContaining('contains settings, but is not encrypted') }
  await expect(test.perform('restore', { name: 'demo', as: 'plain' })).rejects.toMatchObject(refused)
  await expect(test.perform('restore', { name: 'demo' })).rejects.toMatchObject(refused)
  await expect(test.perform('prove', { name: 'demo' })).rejects.toMatchObject(refused)
  expect(test.context.registry.find('plain')).toBeUndefined()
  const { folder } = await test.context.backups.find('demo', 'latest')
  rmSync(folder, { recursive: true })
  writeFileSync(join(test.home, 'config.sh'), config)
})

it('an instance gets neither variables of programs nor limits from a backup, and hooks run nothing of them', async () => {
  await test.perform('save', { name: 'demo' })
  await forge(true)
  const { warnings } = await test.perform('restore', { name: 'demo', as: 'copy' })
  const own = await test.context.settings.instance(test.path('copy'))
  expect(own.others).toEqual({ COLOR: 'blue' })
  const { limits, replicas, placement, debug, quality } = own
  expect([limits?.memory, replicas, placement, debug, quality?.url].filter((one) => one !== undefined)).toEqual([])
  const warning = warnings?.find((text) => text.startsWith('These settings were not restored'))
  for (const name of [...names, 'SHARED', 'SERVICE_LIMIT_MEMORY', 'SERVICE_REPLICAS', 'SERVICE_PLACEMENT'])
    expect(warning).toMatch(new RegExp(String.raw`\b${name}\b`))
  expect(warning).not.toMatch(/COLOR|evil/)
  await test.perform('restart', { name: 'copy' })
  expect(seen()).toContain('COLOR=blue\n')
  expect(seen()).toContain('SHARED=of-hooks\n')
  expect(existsSync(mark())).toBe(false)
})

it('hooks have nothing that programs take for theirs, whatever the settings file says', async () => {
  const settings = test.path('copy', 'settings.sh')
  appendFileSync(
    settings,
    `${names
      .filter((name) => name !== 'APPS_HOME')
      .map((name) => `export ${name}='${evil()}'`)
      .join('\n')}\n`,
  )
  appendFileSync(settings, "export SERVICE_UNKNOWN='x'\n")
  const { context } = test
  const { id, name } = test.instance('copy')
  const { hookEnvironment } = await import('../hooks/hook-environment.js')
  const environment = await hookEnvironment(context, { id, name })
  rmSync(join(test.home, 'seen'))
  const { problem } = await context.hooks.run({ hook: 'post-start', args: [], environment, input: {} })
  expect(problem).toBeUndefined()
  expect(existsSync(mark())).toBe(false)
  expect(seen()).not.toContain(evil())
  expect(seen()).not.toContain('SERVICE_UNKNOWN')
  expect(seen()).toContain('COLOR=blue\n')
  expect(seen()).toMatch(/^USER=copy$/m)
  expect(seen()).toMatch(/^SERVICE_URL=http:/m)
})
