import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { execute, needs, toolIsMissing } from '../../../../../tests/servers/index.js'
import { bundledManager, crashAction } from '../testing/bundled-manager.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { databaseConfig } from '../testing/database-config.js'
import { fakeApplicationServer } from '../testing/fake-application.js'

needs('postgresql', (url) => {
  describe('a dump that goes to the compressor directly', () => {
    const path = process.env.PATH as string
    let test: TestManager
    let programs: string
    let config: string
    let demo: string
    beforeAll(async () => {
      test = await createTestManager({ config: databaseConfig(url) })
      config = readFileSync(join(test.home, 'config.sh'), 'utf8')
      await test.perform('add', { name: 'demo', database: 'postgresql', 'no-start': true })
      const { databases, settings } = test.context
      const account = databases.account(test.path('demo'), await settings.instance(test.path('demo')))
      demo = databases.server('postgresql').url(account)
      await execute(demo, 'create table note as select md5(n::text) as text from generate_series(1, 300000) n')
    })
    beforeEach(() => {
      // What is found on a path is remembered.
      programs = mkdtempSync(own('programs-'))
    })
    afterEach(() => {
      process.env.PATH = path
      rmSync(programs, { recursive: true })
      writeFileSync(join(test.home, 'config.sh'), config)
    })
    afterAll(async () => {
      await test?.perform('delete', { name: 'demo', purge: true })
      await test?.close()
    })

    const saved = () => {
      const folder = join(test.home, 'save', 'demo')
      return existsSync(folder) ? readdirSync(folder) : []
    }
    const own = (name: string) => join(test.folder, name)

    /** A program that comes before the real one. */
    function writeProgram(name: string, script: string): void {
      const find = ['-c', `command -v ${name}`]
      const real = execFileSync('/bin/sh', find, { encoding: 'utf8', env: { PATH: path } }).trim()
      const isVersion = `case "$1" in --version) exec ${real} --version;; esac`
      writeFileSync(join(programs, name), `#!/bin/sh\n${isVersion}\n${script.replaceAll('REAL', real)}\n`)
      chmodSync(join(programs, name), 0o755)
      process.env.PATH = `${programs}:${path}`
    }

    async function failsAndLeavesNothing(message: string): Promise<void> {
      const before = saved()
      await expect(test.perform('save', { name: 'demo' })).rejects.toThrow(message)
      expect(saved()).toEqual(before)
    }

    it('is the same as one that goes through this process', async () => {
      const save = async () => {
        await test.perform('save', { name: 'demo' })
        return (await test.context.backups.find('demo', 'latest')).manifest
      }
      const direct = await save()
      expect(direct.files[0]).toMatchObject({ name: 'db.postgresql.zst', exitCodes: { pg_dump: 0, zstd: 0 } })
      expect(direct.tools).toHaveProperty('pg_dump')
      writeProgram('setpriv', 'case "$*" in *--pdeathsig*) exit 1;; esac; exec REAL "$@"')
      const through = await save()
      expect(through.files[0]).toMatchObject({ exitCodes: { pg_dump: 0, zstd: 0 } })
      expect(through.files[0]?.plainSize).toBe(direct.files[0]?.plainSize)
    })

    it('is of the moment in which the instance is frozen, although the program reads later', async () => {
      await test.perform('start', { name: 'demo' })
      writeProgram('pg_dump', `touch ${own('waits')}; until [ -e ${own('go')} ]; do sleep 0.02; done; exec REAL "$@"`)
      const saving = test.perform('save', { name: 'demo' })
      await expect.poll(() => existsSync(own('waits'))).toBe(true)
      const ref = { id: test.instance('demo').id, folder: test.path('demo') }
      const state = async () => (await test.context.runtimes.named('process').observe(ref)).state
      await expect.poll(state).toBe('started')
      await execute(demo, `insert into note values ('too late')`)
      writeFileSync(own('go'), '')
      await saving
      const { manifest, folder } = await test.context.backups.find('demo', 'latest')
      expect(manifest).toMatchObject({ consistency: 'suspended', database: { rows: { note: 300_000 } } })
      const dump = execFileSync('zstd', ['-dcq', join(folder, 'db.postgresql.zst')], { maxBuffer: 2 ** 26 })
      expect(dump.includes('too late')).toBe(false)
      await test.perform('stop', { name: 'demo' })
    })

    it.skipIf(toolIsMissing('age'))('is encrypted by the program after it', async () => {
      const identity = await generateIdentity()
      writeFileSync(own('key'), `${identity}\n`, { mode: 0o600 })
      const recipient = await identityToRecipient(identity)
      const lines = [`RECIPIENTS=${recipient}`, `IDENTITY=${own('key')}`].map((line) => `export APPS_BACKUP_${line}\n`)
      writeFileSync(join(test.home, 'config.sh'), config + lines.join(''))
      await test.perform('save', { name: 'demo' })
      const backup = await test.context.backups.find('demo', 'latest')
      const [file] = backup.manifest.files
      expect(file).toMatchObject({ name: 'db.postgresql.zst.age', exitCodes: { pg_dump: 0, zstd: 0, age: 0 } })
      await test.context.backups.verify(backup, { deep: true })
    })

    it('is not a backup when its program is killed, fails in the end, or does not end it', async () => {
      writeProgram('pg_dump', `printf '%s\\n' "$@" > ${own('arguments')}; REAL "$@" | head -c 500000; kill -9 $$`)
      await failsAndLeavesNothing('was ended by SIGKILL')
      const { settings } = test.context
      expect(readFileSync(own('arguments'), 'utf8')).toContain('--snapshot=')
      const { password } = test.context.databases.account(test.path('demo'), await settings.instance(test.path('demo')))
      expect(readFileSync(own('arguments'), 'utf8')).not.toContain(password)
      writeProgram('pg_dump', 'REAL "$@"; echo "pg_dump: error: the table is gone" >&2; exit 1')
      await failsAndLeavesNothing('the table is gone')
      writeProgram('pg_dump', 'REAL "$@" | head -c 500000; exit 0')
      await failsAndLeavesNothing('pg_dump did not write a complete dump')
      writeProgram('pg_dump', 'REAL "$@" | head -c 50; exit 0')
      await failsAndLeavesNothing('pg_dump did not write a complete dump')
    })

    it('is not a backup when the compressor fails, which says why', async () => {
      const reading = 'case "$*" in *-d*) exec REAL "$@";; esac;'
      writeProgram('zstd', `${reading} head -c 1000 >/dev/null; echo "zstd: No space left on device" >&2; exit 1`)
      await failsAndLeavesNothing('the disk is full')
      writeProgram('zstd', `${reading} REAL "$@"; echo broken >&2; exit 1`)
      await failsAndLeavesNothing('broken')
    })

    it('ends with the manager when that is killed', async () => {
      const before = saved()
      writeProgram('pg_dump', `echo $$ > ${own('pid')}; kill -9 $PPID; exec sleep 60`)
      const run = { home: test.home, applicationServer: fakeApplicationServer, defaultTemplate: test.template }
      const { program } = await bundledManager()
      const crash = { ...run, action: 'save', input: { name: 'demo' } }
      expect(await crashAction(program, crash, { PATH: process.env.PATH as string })).toBeUndefined()
      const pid = readFileSync(own('pid'), 'utf8').trim()
      await expect.poll(() => isRunning(pid)).toBe(false)
      process.env.PATH = path
      expect(await test.context.operations.recover(test.caller)).toMatchObject([{ kind: 'save', state: 'rolled_back' }])
      expect(saved()).toEqual(before)
    })
  })
})

/** A process that has ended, but was not waited for yet, still has an entry. */
function isRunning(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
