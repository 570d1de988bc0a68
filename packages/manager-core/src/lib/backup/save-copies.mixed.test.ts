/** @module-tag mixed */
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { TargetError } from '@steward/backup-targets'
import { corrupting, failing } from '@steward/backup-targets/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OperationEvent } from '../domain/caller.js'
import { mailServer, plain } from '../mail/mail-server-for-test.js'
import { createTestManager } from '../testing/create-test-manager.js'
import { createManagerWithStore, type ManagerWithStore } from '../testing/manager-with-store.js'
import { writeHook } from '../testing/write-hook.js'

let test: ManagerWithStore
afterEach(() => test.close())

const down = new TargetError('ERR_TARGET_REFUSED', 'The server is closed')
const rows = async (input = {}) =>
  (await test.perform('backups list', input)).list as { name: string; copies: string; verified: string }[]

describe('save --to', () => {
  beforeEach(async () => {
    test = await createManagerWithStore({ refresh: true })
    await test.perform('add', { name: 'demo', 'no-start': true })
  })

  it('all is refused when no target is set; saveall needs none', { tags: 'core' }, async () => {
    const bare = await createTestManager()
    try {
      await bare.perform('add', { name: 'demo', 'no-start': true, auto_save: true })
      const refused = { code: 'ERR_STATE', help: expect.stringContaining('APPS_TARGETS') as string }
      await expect(bare.perform('save', { name: 'demo', to: 'all' })).rejects.toMatchObject(refused)
      expect((await bare.perform('backups list')).list).toEqual([])
      expect((await bare.perform('saveall')).list).toMatchObject([{ name: 'demo', result: 'saved' }])
    } finally {
      await bare.close()
    }
  })

  it('copies the backup, and says what is where', { tags: 'core' }, async () => {
    const planned = await test.perform('save', { name: 'demo', to: 'all' }, { dryRun: true })
    expect(planned.plan?.notes).toContain('The backup is then copied to nas.')
    const saved = await test.perform('save', { name: 'demo', to: 'nas' })
    expect(saved.message).toMatch(/^Instance "demo" is backed up: demo\/.* It is also at nas\.$/)
    expect(saved).toMatchObject({ item: { copies: 'nas' } })
    expect(saved.exitCode).toBeUndefined()
    expect(await rows({ at: 'nas' })).toHaveLength(1)
    await test.perform('save', { name: 'demo' })
    expect(await rows({ at: 'nas' })).toHaveLength(1)
  })

  it('keeps the backup when a copy fails, and says how to continue', { tags: 'core' }, async () => {
    await expect(test.perform('save', { name: 'demo', to: 'nas,tape' })).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
    })
    expect(await rows()).toEqual([])
    test.behind((folder) => failing(folder, down, Infinity))
    const saved = await test.perform('save', { name: 'demo', to: 'nas' })
    expect(saved.exitCode).toBe(1)
    const [, command = ''] =
      /Target "nas": The server is closed\. To try again, run: manager (.*)$/.exec(saved.message) ?? []
    expect(await rows()).toMatchObject([{ name: 'demo', copies: 'nas (missing)' }])
    await test.perform('backups verify', { name: 'demo', deep: true })
    test.behind(undefined)
    const [first, second, name, backup, option, to] = command.split(' ')
    expect([first, second, name, option, to]).toEqual(['backups', 'export', 'demo', '--to', 'nas'])
    await test.perform('backups export', { name, backup, to })
    expect(await rows()).toMatchObject([{ copies: 'nas' }])
  })
})

describe('saveall', () => {
  const entries = async (input = {}) => {
    const done = await test.another().perform('saveall', input, test.caller)
    const list = done.list as { name: string; result: string; message: string }[]
    return { ...done, results: list.map(({ name, result }) => `${name} ${result}`), list }
  }
  const set = (...lines: string[]) =>
    appendFileSync(join(test.home, 'config.sh'), lines.map((line) => `export ${line}\n`).join(''))
  const nightly = (name: string) => readdirSync(join(test.home, 'save', name)).filter((entry) => !entry.startsWith('.'))

  beforeEach(async () => {
    test = await createManagerWithStore({ refresh: true })
    for (const name of ['aaa', 'bbb']) {
      await test.perform('add', { name, 'no-start': true })
      await test.perform('autosave', { name })
    }
  })

  it('saves several at the same time, and copies each to all targets', async () => {
    // Each waits until the other one is saved, too.
    writeHook(
      test.home,
      'pre-save',
      `touch ${test.folder}/$1; for i in $(seq 100); do [ -e ${test.folder}/aaa ] && [ -e ${test.folder}/bbb ] && exit 0; sleep 0.1; done; exit 1`,
    )
    const planned = await test.perform('saveall', {}, { dryRun: true })
    expect(planned.message).toBe('2 would be backed up, and copied to nas.')
    const events: OperationEvent[] = []
    const { list } = await test.perform('saveall', {}, { onEvent: (event) => events.push(event) })
    expect(list).toMatchObject([{ result: 'saved' }, { result: 'saved' }])
    // They are shown as the steps of one.
    expect(events[0]).toMatchObject({ type: 'planned', parallel: true, steps: [{ id: 'aaa' }, { id: 'bbb' }] })
    expect(new Set(events.flatMap((event) => ('step' in event ? event.step : [])))).toEqual(new Set(['aaa', 'bbb']))
    expect(events).toContainEqual(expect.objectContaining({ type: 'progress', step: 'bbb', text: 'Copy to nas' }))
    expect((await rows()).map(({ name, copies }) => `${name} ${copies}`).toSorted()).toEqual(['aaa nas', 'bbb nas'])
    await entries({ to: 'none' })
    expect(await rows({ at: 'nas' })).toHaveLength(2)
    expect(await rows()).toHaveLength(4)
  })

  it('saves all though copies fail, reports it, and copies what is missing the next time', async () => {
    const { port, received } = await mailServer(plain)
    set('APPS_MAILSERVER=127.0.0.1', `APPS_MAILPORT=${port}`, 'APPS_EMAIL=operator@example.com')
    writeHook(test.home, 'monitoring', `{ echo "$1 $2 $USER"; cat; } > ${test.folder}/alarm-$1`)
    test.behind((folder) => failing(folder, down, Infinity))
    const failed = await entries({ parallel: 1 })
    expect(failed).toMatchObject({ exitCode: 1, results: ['aaa failed', 'bbb failed'] })
    expect(failed.list[0]).toMatchObject({ backup: expect.stringMatching(/^aaa\//) })
    expect(failed.list[0]?.message).toContain('is good, but was not copied to nas: Target "nas": The server is closed.')
    expect(received).toMatchObject([{ text: expect.stringContaining('saving aaa, bbb failed') }])
    const alarms = readFileSync(join(test.folder, 'alarm-aaa'), 'utf8')
    expect(alarms).toContain('aaa copy-failed aaa\n')
    expect(JSON.parse(alarms.slice(alarms.indexOf('{')))).toMatchObject({ reason: 'copy-failed', name: 'aaa' })
    expect(nightly('aaa')).toHaveLength(1)

    test.behind(undefined)
    expect((await entries()).results).toEqual(['aaa saved', 'bbb saved'])
    expect((await rows({ at: 'nas' })).map(({ name }) => name).toSorted()).toEqual(['aaa', 'aaa', 'bbb', 'bbb'])
    expect((await rows()).every(({ copies }) => copies === 'nas')).toBe(true)
  })

  it('removes what no rule keeps, also at the target, but nothing there when the new one is not', async () => {
    set('APPS_KEEP_LAST=1')
    await entries()
    const [before] = await rows({ at: 'nas', name: 'aaa' })
    test.behind((folder) => ({ ...folder, put: failing(folder, down, Infinity).put }))
    await entries()
    expect(await rows({ at: 'nas' })).toHaveLength(2)
    test.behind(undefined)
    await entries()
    const there = await rows({ at: 'nas' })
    expect(there.map(({ name }) => name).toSorted()).toEqual(['aaa', 'bbb'])
    expect(there).not.toContainEqual(before)
    expect((await rows()).map(({ name }) => name).toSorted()).toEqual(['aaa', 'bbb'])
  })

  it('removes nothing here while a copy that was read back before is not there any more', async () => {
    const usb = join(test.folder, 'usb')
    set(
      'APPS_SAVEALL_REMOVE_LOCAL=true',
      'APPS_TARGETS=nas,usb',
      'APPS_TARGET_USB_TYPE=local',
      `APPS_TARGET_USB_PATH=${usb}`,
    )
    await test.perform('noautosave', { name: 'bbb' })
    expect((await entries()).results).toEqual(['aaa failed'])
    expect(await rows()).toMatchObject([{ copies: 'nas, usb (missing)' }])
    const [kept = ''] = nightly('aaa')
    for (const file of test.stored()) rmSync(test.store(file))
    mkdirSync(usb)
    expect((await entries()).results).toEqual(['aaa saved'])
    expect(nightly('aaa')).toEqual([kept])
    expect(await rows({ at: 'nas' })).toHaveLength(2)
    expect((await entries()).results).toEqual(['aaa saved'])
    expect(nightly('aaa')).toEqual([])
    for (const at of ['nas', 'usb']) expect(await rows({ at })).toHaveLength(3)
  })

  it('removes a backup here only when every byte of its copy was read back and is right', async () => {
    set('APPS_SAVEALL_REMOVE_LOCAL=true')
    // It returns the hashes that it was sent.
    const sums = new Map<string, string>()
    test.behind((folder) => ({
      ...corrupting(folder),
      put(name, source, options) {
        sums.set(name, options?.upload ?? '')
        return corrupting(folder).put(name, source, options)
      },
      hash: (name) => Promise.resolve({ sha256: sums.get(name) ?? '' }),
    }))
    expect((await entries()).results).toEqual(['aaa failed', 'bbb failed'])
    for (const name of ['aaa', 'bbb']) expect(nightly(name)).toHaveLength(1)
    for (const name of ['aaa', 'bbb']) await test.perform('backups verify', { name, deep: true })
    expect(await rows({ at: 'nas' })).toEqual([])

    // Those that were kept go with the next ones.
    test.behind(undefined)
    expect((await entries()).results).toEqual(['aaa saved', 'bbb saved'])
    expect(await rows()).toEqual([])
    const copies = await rows({ at: 'nas' })
    expect(copies.map(({ name }) => name).toSorted()).toEqual(['aaa', 'aaa', 'bbb', 'bbb'])
    expect(copies.every(({ verified }) => verified !== '')).toBe(true)
    // They are known all the same.
    expect((await test.perform('backups list')).message).toBe('0 backups; 4 more only at nas (--at).')
    expect((await test.perform('checksaves')).exitCode).toBeUndefined()

    await entries({ to: 'none' })
    expect(nightly('aaa')).toHaveLength(1)
    await test.perform('save', { name: 'aaa', to: 'nas' })
    expect(nightly('aaa')).toHaveLength(2)
    expect(existsSync(join(test.home, 'save', 'bbb'))).toBe(true)
  })
})
