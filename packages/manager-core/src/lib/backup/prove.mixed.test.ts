/** @module-tag mixed */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ManagerError } from '../../errors.js'
import { mailServer, plain } from '../mail/mail-server-for-test.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { processesOf } from '../testing/end-processes.js'
import { tellFake } from '../testing/fake-application.js'
import { writeHook } from '../testing/write-hook.js'
import { manifestName, manifestText } from './manifest.js'
import { copyTo } from './copies/copy-to.js'
import { statusFile } from './status.js'

describe('prove', () => {
  let test: TestManager
  beforeAll(async () => {
    test = await createTestManager({
      config: [
        ...['APPS_TARGETS=nas', 'APPS_TARGET_NAS_TYPE=local', 'APPS_TARGET_NAS_PATH=$APPS_HOME/nas'],
        ...['APPS_MAXINSTANCES=1', 'APPS_EMAIL=operator@example.com'],
      ],
    })
    mkdirSync(join(test.home, 'nas'))
    await test.perform('add', { name: 'demo', 'no-start': true })
    await test.perform('start', { name: 'demo' })
    await test.perform('stop', { name: 'demo' })
    for (const hook of ['pre-add', 'post-add', 'pre-start', 'pre-stop', 'pre-del'] as const)
      writeHook(test.home, hook, `echo ${hook} >> ${test.folder}/hooks`)
    writeHook(test.home, 'monitoring', `echo "$1 $2" >> ${test.folder}/alarms`)
  })
  afterAll(() => test.close())

  const latest = () => test.context.backups.find('demo', 'latest')
  const steps = async (input: Record<string, string> = {}) =>
    (await test.perform('prove', { name: 'demo', ...input }, { dryRun: true })).plan?.steps.map(({ id }) => id)
  const save = async (fake: Parameters<typeof tellFake>[1] = {}) => {
    tellFake(test.path('demo', 'app'), fake)
    await test.perform('save', { name: 'demo' })
    return latest()
  }

  /** Whatever came out. */
  function expectNothingLeft(): void {
    expect(readdirSync(join(test.home, 'instances'))).toEqual([test.instance('demo').id])
    expect(readdirSync(test.context.settings.global.saveFolder)).toEqual(['demo'])
    expect(existsSync(test.context.home.trash) ? readdirSync(test.context.home.trash) : []).toEqual([])
    expect(test.context.registry.instances()).toMatchObject([{ name: 'demo', operation: '' }])
    expect(processesOf(test.folder)).toEqual([])
    expect(existsSync(join(test.folder, 'hooks'))).toBe(false)
  }

  it(
    'restores, counts, neutralises and starts a throw-away instance, and records when and how long',
    { tags: 'core' },
    async () => {
      const backup = await save({ startMs: 300 })
      expect(await steps()).toEqual([
        ...['restore-verify', 'reserve', 'layout', 'settings', 'database', 'data', 'neutralise', 'rows', 'place'],
        ...['define', 'start', 'stop', 'undefine', 'remove', 'record'],
      ])
      expect(existsSync(statusFile(backup.folder))).toBe(false)
      const proving = test.perform('prove', { name: 'demo' })
      await expect
        .poll(() => test.context.registry.instances().map(({ source }) => source))
        .toContain(`prove:${backup.key}`)
      // No other command may see it meanwhile.
      expect((await test.perform('list')).list).toMatchObject([{ name: 'demo', proved: '' }])
      const { item } = await proving
      const { proved } = item as { proved: string }
      expect(item).toMatchObject({ backup: backup.manifest.id, proved_seconds: expect.any(Number) })
      expect((await test.perform('list')).list).toMatchObject([{ name: 'demo', proved }])
      expect((await test.perform('backups', { name: 'demo' })).list).toMatchObject([
        { proved, verified: proved, proved_seconds: expect.any(Number) },
      ])
      expect(test.context.registry.history({ instance: test.instance('demo').id }).at(-1)).toMatchObject({
        ...{ action: 'prove', instance: 'demo', result: 'ok' },
      })
      expectNothingLeft()
    },
  )

  it('says that rows are missing, before anything is started', { tags: 'core' }, async () => {
    const { folder, manifest } = await save()
    const file = join(folder, manifestName)
    chmodSync(file, 0o600)
    writeFileSync(file, manifestText({ ...manifest, database: { ...manifest.database, rows: { note: 2 } } }))
    await expect(test.perform('prove', { name: 'demo' })).rejects.toMatchObject({
      code: 'ERR_ROLLED_BACK',
      message: expect.stringContaining('The restored database differs from the backup: note has 1 row, not 2.'),
    })
    expect(await latest()).toMatchObject({
      proved: undefined,
      damage: expect.stringContaining('note has 1 row, not 2'),
    })
    expectNothingLeft()
    rmSync(folder, { recursive: true })
  })

  it('reports by mail and monitoring.sh what failed unattended', async () => {
    const { folder } = await save({ start: 'fail' })
    const { received, port } = await mailServer(plain)
    writeFileSync(join(test.home, 'config.sh'), `APPS_MAILSERVER=127.0.0.1 APPS_MAILPORT=${port}\n`, { flag: 'a' })
    await expect(test.perform('prove', { name: 'demo' })).rejects.toMatchObject({
      message: expect.stringContaining('did not start'),
      output: expect.stringContaining('fails to start, as it was told'),
    })
    expect(received).toHaveLength(0)
    const manager = test.another()
    const answer = await manager.perform('prove', { name: 'demo' }, { ...test.caller, surface: 'schedule' })
    expect(answer).toMatchObject({ exitCode: 1, message: expect.stringContaining('did not start') })
    expect(received).toHaveLength(1)
    expect(received[0]?.text).toContain('the test restore of demo failed')
    expect(readFileSync(join(test.folder, 'alarms'), 'utf8')).toBe('demo proof-failed\n')
    expectNothingLeft()
    rmSync(folder, { recursive: true })
  })

  it('proves a copy at a target, also when there is none here', async () => {
    const backup = await save()
    await copyTo(test.context, test.caller, { backup, targets: ['nas'], readBack: false })
    rmSync(backup.folder, { recursive: true })
    expect((await steps({ from: 'nas' }))?.slice(0, 2)).toEqual(['fetch', 'restore-verify'])
    const { message } = await test.perform('prove', { name: 'demo', from: 'nas' })
    expect(message).toContain(`The backup ${backup.key} at "nas" can be restored`)
    expect(existsSync(backup.folder)).toBe(false)
    expect(readFileSync(statusFile(backup.folder), 'utf8')).toContain('"proved":')

    const file = join(test.home, 'nas', backup.key, 'files.tar.zst')
    const bytes = readFileSync(file)
    bytes[bytes.length >> 1]! ^= 1
    chmodSync(file, 0o600)
    writeFileSync(file, bytes)
    await expect(test.perform('prove', { name: 'demo', from: 'nas' })).rejects.toMatchObject({
      message: expect.stringContaining('The copy at "nas" is damaged'),
    })
    expectNothingLeft()
  })

  it('that is stuck is not ended by what replaces the instance, so that its throw-away instance goes', async () => {
    const { folder, key } = await save()
    vi.spyOn(test.context.runtimes.named('process'), 'undefine').mockRejectedValueOnce(new Error('The disk fails.'))
    onTestFinished(() => void vi.restoreAllMocks())
    const stuck = await test.perform('prove', { name: 'demo' }).catch((error: ManagerError) => error)
    expect(stuck).toMatchObject({ code: 'ERR_ATTENTION' })
    const { warnings } = await test.perform('delete', { name: 'demo' })
    expect(warnings).toBeUndefined()
    expect(test.context.registry.instances()).toMatchObject([{ source: `prove:${key}` }])
    expect(await test.context.operations.retry((stuck as ManagerError).operation as string, test.caller)).toBe(
      'succeeded',
    )
    expect(test.context.registry.instances()).toEqual([])
    await test.perform('undelete', { entry: 'demo' })
    rmSync(join(test.folder, 'hooks'))
    expectNothingLeft()
    rmSync(folder, { recursive: true })
  })

  it('proves a backup of an instance that is gone', async () => {
    await save()
    await test.perform('delete', { name: 'demo', purge: true })
    rmSync(join(test.folder, 'hooks'))
    expect((await test.perform('prove', { name: 'demo' })).message).toContain('can be restored')
    expect(test.context.registry.instances()).toEqual([])
    expect((await latest()).proved).toBeDefined()
    // Its result looks the same from outside.
    await test.perform('restore', { name: 'demo' })
    expect(test.instance('demo').proved).toBe('')
    await test.perform('prove', { name: 'demo' })
    expect(test.instance('demo').proved).not.toBe('')
  })

  it.each([
    ['an instance that never was', { name: 'nobody' }, 'ERR_NOT_FOUND'],
    ['a backup that is not there', { name: 'demo', backup: '2020' }, 'ERR_NOT_FOUND'],
    ['a path', { name: 'demo', backup: '../../etc' }, 'ERR_NOT_FOUND'],
    ['a target that is not set', { name: 'demo', from: 'moon' }, 'ERR_NOT_FOUND'],
    ['a name of 300 characters', { name: 'ü'.repeat(300), from: 'nas' }, 'ERR_NOT_FOUND'],
  ])('refuses %s', async (_what, input, code) => {
    await expect(test.perform('prove', input)).rejects.toMatchObject({ code })
  })
})
