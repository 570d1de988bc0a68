import { mkdirSync, readFileSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createManagerWithStore, type ManagerWithStore } from '../../testing/manager-with-store.js'
import { removeCopies } from './remove-copy.js'

describe('copies of backups at a target', () => {
  let test: ManagerWithStore
  beforeEach(async () => {
    test = await createManagerWithStore()
  })
  afterEach(() => test.close())

  const demo = { name: 'demo' }
  const files = (key: string) => ['db.sqlite.zst', 'files.tar.zst', 'manifest.json'].map((name) => `${key}/${name}`)
  const idOf = (key: string) => key.slice('demo/'.length)

  it('are made by backups export, the manifest last, and not made twice', async () => {
    const key = test.madeUp()
    const order: string[] = []
    test.behind((folder) => ({
      ...folder,
      put(name, ...args) {
        order.push(name)
        return folder.put(name, ...args)
      },
    }))
    const events: { readonly bytes?: number | undefined; readonly of?: number | undefined }[] = []
    const done = await test.perform('backups export', demo, {
      onEvent: (event) => event.type === 'progress' && events.push(event),
    })
    expect(done).toMatchObject({ message: `The backup ${key} is at nas.` })
    expect(done.exitCode).toBeUndefined()
    expect(order).toEqual(files(key))
    expect(test.stored()).toEqual(files(key))
    expect(events.at(-1)).toMatchObject({ bytes: 6000, of: 6000 })
    for (const file of files(key))
      expect(readFileSync(test.store(file))).toEqual(readFileSync(join(test.home, 'save', file)))

    await test.perform('backups export', { ...demo, to: 'nas' })
    expect(order).toHaveLength(3)
    const { list } = await test.perform('backups list', demo)
    expect(list).toMatchObject([{ backup: idOf(key), copies: 'nas', damage: '' }])
    const history = await test.perform('history')
    expect(history.list).toMatchObject([
      { action: 'backups export', instance: 'demo', result: 'ok', message: expect.stringContaining('is at "nas"') },
      { action: 'backups export', result: 'ok', message: expect.stringContaining('was already at "nas"') },
    ])
  })

  it('are found, read back and fetched by a manager that knows nothing of them', async () => {
    const key = test.madeUp()
    await test.perform('backups export', demo)
    rmSync(join(test.home, 'save'), { recursive: true })

    const listed = await test.perform('backups list', { at: 'nas' })
    expect(listed).toMatchObject({
      message: '1 backup at "nas".',
      list: [{ name: 'demo', backup: idOf(key), verified: '', copies: 'nas', folder: '' }],
    })
    await expect(test.perform('backups verify', demo)).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
      help: 'Those at targets are shown by: backups list demo --at nas',
    })
    const read = await test.perform('backups verify', { name: 'DEMO', at: 'nas' })
    expect(read.item).toMatchObject({ backup: idOf(key), verified: expect.stringMatching(/^20/) })
    // That is remembered, although there is no backup here.
    expect((await test.perform('backups list', { at: 'nas' })).list).toMatchObject([read.item])
    expect((await test.perform('backups list')).message).toBe('0 backups; 1 more only at nas (--at).')
    const planned = await test.perform('backups fetch', { ...demo, from: 'nas' }, { dryRun: true })
    expect(planned.message).toContain('would be fetched from "nas"')
    expect(await test.context.backups.list()).toEqual([])

    const fetched = await test.perform('backups fetch', { ...demo, from: `nas:${idOf(key).slice(0, 12)}` })
    expect(fetched.item).toMatchObject({ backup: idOf(key), copies: 'nas', folder: join(test.home, 'save', key) })
    await test.perform('backups verify', demo)
    for (const file of files(key))
      expect(readFileSync(test.store(file))).toEqual(readFileSync(join(test.home, 'save', file)))
    const again = await test.perform('backups fetch', { ...demo, from: 'nas:latest' })
    expect(again.message).toContain('is already here')
  })

  it('are refused with what there is', async () => {
    test.madeUp()
    await expect(test.perform('backups export', { ...demo, to: 'ftp' })).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
      help: 'Targets: nas.',
    })
    await expect(test.perform('backups export', { ...demo, to: 'none' })).rejects.toMatchObject({ code: 'ERR_USAGE' })
    await expect(test.perform('backups fetch', demo)).rejects.toMatchObject({ code: 'ERR_USAGE' })
    for (const from of ['nas', 'nas:2020', 'nas:../../etc', `nas:${'x'.repeat(300)}`, 'nas:other/latest', 'nas:größe'])
      await expect(test.perform('backups fetch', { ...demo, from })).rejects.toMatchObject({
        code: 'ERR_NOT_FOUND',
        message: expect.stringContaining('at "nas"'),
      })
    for (const name of ['../demo', 'de mo', 'größe', 'x'.repeat(300)])
      await expect(test.perform('backups fetch', { name, from: 'nas' })).rejects.toMatchObject({
        code: 'ERR_NOT_FOUND',
      })
    const deep = test.perform('backups verify', { ...demo, at: 'nas', deep: true })
    await expect(deep).rejects.toMatchObject({ code: 'ERR_USAGE', command: 'backups fetch demo --from nas' })
  })

  it('are listed only when complete; damage is reported, files of others are not', async () => {
    const day = (date: number) => new Date(Date.UTC(2026, 10, date))
    const [good, cut, gap, open] = [1, 2, 3, 4].map((date) => test.madeUp(day(date))) as [
      string,
      string,
      string,
      string,
    ]
    for (const backup of [good, cut, gap, open]) await test.perform('backups export', { ...demo, backup: idOf(backup) })
    truncateSync(test.store(cut, 'manifest.json'), 300)
    unlinkSync(test.store(gap, 'files.tar.zst'))
    unlinkSync(test.store(open, 'manifest.json'))
    mkdirSync(test.store('demo', 'photos'))
    for (const file of ['notes.txt', 'demo/notes.txt', 'demo/photos/manifest.json', `${good}/more.txt`])
      writeFileSync(test.store(file), 'of somebody')
    rmSync(join(test.home, 'save'), { recursive: true })

    const listed = await test.perform('backups list', { ...demo, at: 'nas' })
    expect(listed.list).toMatchObject([{ backup: idOf(good) }])
    expect(listed.warnings?.toSorted()).toEqual([
      expect.stringContaining(`${gap}/files.tar.zst is missing`),
      expect.stringContaining(`${cut}/manifest.json is damaged`),
    ])
    for (const backup of [cut, gap])
      await expect(test.perform('backups fetch', { ...demo, from: `nas:${idOf(backup)}` })).rejects.toMatchObject({
        code: 'ERR_BACKUP',
      })
    const latest = await test.perform('backups fetch', { ...demo, from: 'nas' })
    expect(latest.item).toMatchObject({ backup: idOf(good) })
  })

  it('are removed manifest first, and forgotten', async () => {
    const key = test.madeUp()
    await test.perform('backups export', demo)
    const order: string[] = []
    test.behind((folder) => ({
      ...folder,
      delete(name, ...args) {
        order.push(name)
        return folder.delete(name, ...args)
      },
    }))
    const removed = await removeCopies(test.context, 'nas', [key, key])
    expect(removed.map(({ removal }) => removal)).toEqual(['removed', 'absent'])
    expect(order[0]).toBe(`${key}/manifest.json`)
    expect(test.stored()).toEqual([])
    expect((await test.perform('backups list', demo)).list).toMatchObject([{ copies: '' }])
  })
})
