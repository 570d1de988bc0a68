/** @module-tag mixed */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { accountAt } from '../accounts/account.js'
import { managerPrefix } from '../recovery/manager-copy.js'
import { endAccountsOf } from '../testing/accounts-of.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { writeTemplate } from '../testing/fake-application.js'
import { forgeBackup, forgedFile, forgedHeader, hidden, withMore } from '../testing/forged-archive.js'
import { createManagerWithStore } from '../testing/manager-with-store.js'
import { canUseAccounts } from '../testing/reachable-checkout.js'
import { filesBase, homeBase, manifestName } from './manifest.js'
import { packingTools } from './packing/tools.js'

const isIsolated = canUseAccounts(import.meta.url)
const hasTar = (await packingTools()).tar !== undefined
const isRoot = process.getuid?.() === 0

const device = forgedHeader({ name: 'data/disk', type: '4', mode: 0o666 })
const forgeries = [
  ['a device', [device], 'the type \\"4\\"'],
  ['a hidden device', hidden('data', device), 'the type \\"S\\"'],
  [
    'a hidden set-uid program, and settings',
    hidden('data', ...forgedFile({ name: 'data/su', mode: 0o4755 }, ''), ...forgedFile({ name: 'settings.sh' }, 'x')),
    'the type \\"S\\"',
  ],
] as const

/** Folders below it that hold a backup. */
function backupsIn(folder: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true }).map((path) => join(folder, String(path)))
  return paths.filter((path) => path.endsWith(`/${manifestName}`)).map((path) => dirname(path))
}

describe('a forged backup', () => {
  let test: TestManager
  let forgeNow = false
  beforeAll(async () => {
    test = await createTestManager({
      config: [`export APPS_ISOLATION=${isIsolated ? 'auto' : 'no'}`, 'export APPS_HEALTHWINDOW=0'],
      onJournal({ at }) {
        if (at === 'undoing' && forgeNow) forgePoints()
      },
    })
    chmodSync(test.folder, 0o711)
    await test.perform('add', { name: 'demo' })
    writeFileSync(test.path('demo', 'data', 'kept'), 'kept')
  })
  afterEach(() => (forgeNow = false))
  afterAll(async () => {
    await test.perform('delete', { name: 'demo', force: true, purge: true })
    for (const entry of readdirSync(test.context.home.trash)) await test.perform('purge', { entry })
    await test.close()
    endAccountsOf(test)
  })

  async function saved(forge: readonly Buffer[]): Promise<{ readonly from: string; readonly folder: string }> {
    await test.perform('save', { name: 'demo' })
    const { folder, manifest } = await test.context.backups.find('demo', 'latest')
    forgeBackup(folder, filesBase, (tar) => withMore(tar, forge))
    return { from: manifest.id, folder }
  }

  /** Restore points of the instance. */
  function forgePoints(): void {
    const forge = (tar: Buffer) => withMore(tar, hidden('data', device))
    for (const folder of backupsIn(test.path('demo'))) forgeBackup(folder, filesBase, forge)
  }

  /** Nothing of it is anywhere. */
  function expectUnchanged(): void {
    expect(readFileSync(test.path('demo', 'data', 'kept'), 'utf8')).toBe('kept')
    const all = readdirSync(test.context.home.instances, { recursive: true }).map(String)
    expect(all.filter((path) => /\/(?:disk|su|c|s)$/.test(path))).toEqual([])
    expect(test.context.registry.instances().map(({ name }) => name)).toEqual(['demo'])
  }

  it.each(forgeries)('with %s is bad, and neither restored nor tested', async (_what, forge, why) => {
    const { from, folder } = await saved(forge)
    const message = expect.stringContaining(why.replaceAll('\\', '')) as string
    const verify = test.perform('backups verify', { name: 'demo', backup: from, deep: true })
    await expect(verify).rejects.toMatchObject({ code: 'ERR_BACKUP', message })
    await expect(test.perform('restore', { name: 'demo', from })).rejects.toMatchObject({ message })
    await expect(test.perform('restore', { name: 'demo', from, as: 'copy' })).rejects.toMatchObject({ message })
    await expect(test.perform('prove', { name: 'demo', backup: from })).rejects.toMatchObject({ message })
    expectUnchanged()
    expect(test.instance('demo').observed).toBe('started')
    rmSync(folder, { recursive: true })
  })

  it('of an upgrade is not rolled back to, neither on request nor when the upgrade fails', async () => {
    writeTemplate(test.template, { version: '1.1.0' })
    await test.perform('refresh')
    await test.perform('stop', { name: 'demo' })
    await test.perform('upgrade', { name: 'demo' })
    forgePoints()
    await expect(test.perform('rollback', { name: 'demo' })).rejects.toThrow('the type "S"')
    expectUnchanged()
    writeTemplate(test.template, { version: '1.2.0', fake: { start: 'fail' } })
    await test.perform('refresh')
    forgeNow = true
    await expect(test.perform('upgrade', { name: 'demo' })).rejects.toThrow('the type "S"')
    expectUnchanged()
  })
})

describe('the program tar', () => {
  let test: TestManager
  const path = process.env['PATH'] as string
  beforeAll(async () => {
    test = await createTestManager({ config: [`export APPS_ISOLATION=${isIsolated ? 'auto' : 'no'}`] })
    chmodSync(test.folder, 0o711)
    await test.perform('add', { name: 'demo', 'no-start': true })
    writeFileSync(test.path('demo', 'app', 'run.sh'), '#!/bin/sh\n', { mode: 0o755 })
    await test.perform('save', { name: 'demo' })
  })
  afterEach(() => void (process.env['PATH'] = path))
  afterAll(async () => {
    await test.perform('delete', { name: 'demo', force: true, purge: true })
    for (const entry of readdirSync(test.context.home.trash)) await test.perform('purge', { entry })
    await test.close()
    endAccountsOf(test)
  })

  /** What `tar` does more when it has unpacked, and before it does anything. */
  function tarThat(script: string, first = ''): void {
    const programs = join(test.folder, 'programs')
    mkdirSync(programs, { recursive: true })
    const real = execFileSync('/bin/sh', ['-c', 'command -v tar'], { encoding: 'utf8', env: { PATH: path } }).trim()
    const text = `#!/bin/sh\n${first}\n${real} "$@" || exit\ncase "$*" in *--extract*) ${script};; esac\n`
    writeFileSync(join(programs, 'tar'), text, { mode: 0o755 })
    process.env['PATH'] = `${programs}:${path}`
  }

  it.runIf(isRoot && hasTar)('unpacks without privileges, as the account where there is one', async () => {
    tarThat('grep -E "^(Uid|CapEff|CapBnd|NoNewPrivs)" /proc/self/status > data/status')
    for (const as of [undefined, 'copy']) {
      await test.perform('restore', { name: 'demo', ...(as && { as }) })
      const status = readFileSync(test.path(as ?? 'demo', 'data', 'status'), 'utf8')
      const uid = accountAt(test.path(as ?? 'demo'))?.uid ?? 0
      expect(status).toMatch(new RegExp(`^Uid:\\s+${uid}\\s`, 'm'))
      expect(status).toMatch(/^CapEff:\s+0{16}$/m)
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
      if (!isIsolated) expect(status).toMatch(/^CapBnd:\s+0{16}$/m)
      expect(statSync(test.path(as ?? 'demo', 'data', 'status'))).toMatchObject({ uid })
      expect(statSync(test.path(as ?? 'demo', 'app', 'run.sh'))).toMatchObject({ uid, mode: 0o100755 })
    }
    await test.perform('delete', { name: 'copy', force: true, purge: true })
  })

  it.runIf(hasTar)(
    'that fails to unpack does not make a backup count as damaged, other than a changed byte',
    async () => {
      const backup = () => test.context.backups.find('demo', 'latest')
      const before = readdirSync(test.path('demo'), { recursive: true }).toSorted()
      tarThat('echo cannot write >&2; exit 2')
      await expect(test.perform('restore', { name: 'demo' })).rejects.toThrow('cannot write')
      expect((await backup()).damage).toBeUndefined()
      process.env['PATH'] = path
      const file = join((await backup()).folder, `${filesBase}.zst`)
      const whole = readFileSync(file)
      const changed = Buffer.from(whole)
      changed.writeUInt8(changed.readUInt8(whole.length - 1) ^ 1, whole.length - 1)
      chmodSync(file, 0o600)
      writeFileSync(file, changed)
      for (const as of [undefined, 'copy'])
        await expect(test.perform('restore', { name: 'demo', ...(as && { as }) })).rejects.toThrow(
          `The backup is damaged: ${file}`,
        )
      expect((await backup()).damage).toContain(file)
      writeFileSync(file, whole)
      await test.perform('backups verify', { name: 'demo' })
      expect(readdirSync(test.path('demo'), { recursive: true }).toSorted()).toEqual(before)
      expect(readdirSync(test.context.home.instances)).toEqual([test.instance('demo').id])
    },
  )

  it.runIf(hasTar)('makes a save fail when it gives more than it packs', async () => {
    const before = readdirSync(join(test.home, 'save', 'demo'))
    writeFileSync(join(test.folder, 'more'), Buffer.concat(hidden('data', device)), { mode: 0o644 })
    const more = `echo "Total bytes written: 4096 (4.0KiB, 1MiB/s)" >&2`
    tarThat('', `case "$*" in *--create*) cat ${join(test.folder, 'more')}; ${more};; esac`)
    await expect(test.perform('save', { name: 'demo' })).rejects.toThrow('the type "S"')
    expect(readdirSync(join(test.home, 'save', 'demo'))).toEqual(before)
  })

  it.runIf(hasTar).each([
    ['a pipe', 'mkfifo data/pipe', 'data/pipe'],
    ['a set-uid program', 'touch data/su && chmod 4755 data/su', 'data/su'],
    ['a set-gid program', 'touch data/sg && chmod 2755 data/sg', 'data/sg'],
    ['something beside its folders', 'touch settings.sh', 'settings.sh'],
    ['a link in the place of a folder', 'mv data d2 && ln -s d2 data', 'd'],
  ])('makes a restore fail when it leaves %s, and the instance is unchanged', async (_what, script, shown) => {
    tarThat(script)
    const before = readdirSync(test.path('demo'), { recursive: true }).toSorted()
    await expect(test.perform('restore', { name: 'demo' })).rejects.toThrow(`is not used: "${shown}`)
    await expect(test.perform('restore', { name: 'demo', as: 'copy' })).rejects.toThrow(`is not used: "${shown}`)
    expect(readdirSync(test.path('demo'), { recursive: true }).toSorted()).toEqual(before)
    expect(readdirSync(test.context.home.instances)).toEqual([test.instance('demo').id])
  })
})

it('a forged copy of a manager is not recovered from', { tags: 'core' }, async () => {
  const test = await createManagerWithStore({ refresh: true })
  try {
    await test.perform('add', { name: 'demo', 'no-start': true })
    await test.perform('save', { name: 'demo', to: 'nas' })
    const hook = forgedFile({ name: 'hooks/pre-start.sh', mode: 0o4755 }, '#!/bin/sh\n')
    for (const folder of backupsIn(test.store(managerPrefix)))
      forgeBackup(folder, homeBase, (tar) => withMore(tar, hidden('hooks', ...hook)))
    const hooks = existsSync(test.context.home.hooks) && readdirSync(test.context.home.hooks)
    await expect(test.perform('recover', { from: 'nas' })).rejects.toThrow('the type "S"')
    expect(existsSync(test.context.home.hooks) && readdirSync(test.context.home.hooks)).toEqual(hooks)
  } finally {
    await test.close()
  }
})
