import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bundledManager } from '../../testing/bundled-manager.js'
import { fakeApplicationServer } from '../../testing/fake-application.js'
import { createManagerWithBackup, type ManagerWithBackup } from '../../testing/manager-with-store.js'

describe('a manager that is killed', () => {
  let test: ManagerWithBackup
  beforeEach(async () => {
    test = await createManagerWithBackup()
  })
  afterEach(() => test.close())

  const demo = { name: 'demo' }

  it('in mid-export: nothing is visible there, the next export completes it, and nothing is left', async () => {
    await killed('backups export', demo, () => isHalf(test.store(test.key), /^\..*\.part$/))
    expect((await test.perform('backups list', { at: 'nas' })).list).toEqual([])
    // What only the killed one could continue with is tidied up a day later.
    const other = test.madeUp(new Date(Date.now() + 60_000), 1 << 20)
    await killed('backups export', { ...demo, backup: other.slice(5) }, () => isHalf(test.store(other), /^\..*\.part$/))
    renameSync(join(test.home, 'save', other), join(test.folder, 'gone'))

    const tomorrow = test.another({ clock: () => new Date(Date.now() + 25 * 60 * 60 * 1000) })
    await tomorrow.perform('backups export', demo, test.caller)
    expect(test.stored()).toEqual(
      ['db.sqlite.zst', 'files.tar.zst', 'manifest.json'].map((file) => `${test.key}/${file}`),
    )
    await test.perform('backups verify', { ...demo, at: 'nas' })
  })

  it('in mid-fetch: it is not a backup here, and the next fetch ends it', async () => {
    await test.perform('backups export', demo)
    const folder = join(test.home, 'save', test.key)
    renameSync(folder, join(test.folder, 'away'))
    await killed('backups fetch', { ...demo, from: 'nas' }, () => isHalf(`${folder}.part`, /^files/))
    expect(await test.context.backups.list()).toEqual([])
    await test.perform('backups fetch', { ...demo, from: 'nas' })
    await test.perform('backups verify', demo)
    const left = () => readdirSync(join(test.home, 'save', 'demo')).filter((name) => /\.(part|removed)$/.test(name))
    expect(left()).toEqual([])

    // A fetch that is not resumed is removed, and a removal that was cut off takes no backup that came back since.
    mkdirSync(join(test.home, 'save', 'demo', '20260101T000000Z-1.0-abcdefgh.part'))
    mkdirSync(`${folder}.removed`)
    await test.perform('backups prune', demo)
    expect(left()).toHaveLength(1)
    const later = test.another({ clock: () => new Date(Date.now() + 8 * 24 * 60 * 60 * 1000) })
    await later.perform('backups prune', demo, test.caller)
    expect(left()).toEqual([])
    await test.perform('backups verify', demo)
  })

  /** Whether there is a file of that name that is written to. */
  function isHalf(folder: string, name: RegExp): boolean {
    const file = existsSync(folder) ? readdirSync(folder).find((each) => name.test(each)) : undefined
    return file !== undefined && (statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0) > 100_000
  }

  /** Performs it in a process of its own, which is slow, and is killed as soon as this is so. */
  async function killed(action: string, input: Readonly<Record<string, string>>, when: () => boolean): Promise<void> {
    const { program } = await bundledManager()
    const { home, template: defaultTemplate } = test
    const environment = { APPS_TARGET_BANDWIDTH: '1000' }
    const run = { home, applicationServer: fakeApplicationServer, defaultTemplate, environment, action, input }
    const child = spawn(process.execPath, [program, JSON.stringify(run)], { stdio: ['ignore', 'inherit', 'inherit'] })
    const ended = once(child, 'close')
    await expect.poll(when, { interval: 10 }).toBe(true)
    child.kill('SIGKILL')
    expect(await ended).toEqual([null, 'SIGKILL'])
  }
})
