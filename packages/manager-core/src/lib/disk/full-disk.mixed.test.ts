/** @module-tag mixed */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ManagerError } from '../../errors.js'
import type { Manager } from '../manager.js'
import { canMount, mountMemory, unmount } from '../testing/small-disk.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { writeTemplate } from '../testing/fake-application.js'
import { fillDisk } from '../testing/fill-disk.js'
import { takePorts, type TakenPorts } from '../testing/take-ports.js'

const reason = canMount() ? '' : ' (skipped: it takes the right to mount a small file system)'
const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: ManagerError) => error)

const systems = {
  tmpfs: (folder: string) => mountMemory(folder, '40m'),
  ext4(folder: string, image: string) {
    execFileSync('truncate', ['-s', '48m', image])
    execFileSync('mkfs.ext4', ['-q', '-F', '-m', '0', image])
    execFileSync('mount', ['-o', 'loop', image, folder])
  },
} as const

/** Containers may mount memory, but have no loop devices. */
function canLoop(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'steward-disk-'))
  try {
    systems.ext4(folder, `${folder}.img`)
    unmount(folder)
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
    rmSync(`${folder}.img`, { force: true })
  }
}

const tried = reason === '' && canLoop() ? (['tmpfs', 'ext4'] as const) : (['tmpfs'] as const)

describe.skipIf(reason !== '').each(tried)(`a full %s${reason}`, (system) => {
  let folder: string
  let image: string
  let test: TestManager
  let ports: TakenPorts
  const ballast = () => join(folder, 'ballast')

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'steward-disk-'))
    image = `${folder}.img`
    ports = takePorts()
    systems[system](folder, image)
    mkdirSync(join(folder, 'home'))
    writeTemplate(join(folder, 'template'))
    const lines = [
      ...['export APPS_BASEURL=http://localhost:8000', `export APPS_PORTS=${ports.range}`],
      ...['APPS_KEEP_LAST=1', 'APPS_ISOLATION=no'],
    ]
    writeFileSync(join(folder, 'home', 'config.sh'), `${lines.join('\n')}\n`, { mode: 0o600 })
    writeFileSync(join(folder, 'home', 'version-1.0.sh'), `export APPS_TEMPLATE=folder:${folder}/template\n`)
    test = await createTestManager({ folder })
    await test.context.templates.refresh()
    await test.perform('add', { name: 'demo' })
    await test.perform('add', { name: 'gone', 'no-start': true })
    writeFileSync(test.path('gone', 'data', 'large'), Buffer.alloc(3_000_000, 1))
    writeFileSync(test.path('demo', 'logs', 'application.log.1'), Buffer.alloc(200_000, 1))
    await test.perform('save', { name: 'demo' })
    await test.perform('delete', { name: 'gone' })
  })

  afterEach(async () => {
    await (test as TestManager | undefined)?.close().catch(() => undefined)
    ports.release()
    unmount(folder)
    rmSync(folder, { recursive: true })
    rmSync(image, { force: true })
  })

  /** Another command on the full disk, after those of before have ended. */
  function onFullDisk({ reserve = true } = {}): Manager {
    test.manager.close()
    if (!reserve) rmSync(`${test.context.home.database}-reserve`, { force: true })
    fillDisk(ballast())
    return test.another()
  }

  // What differs between file systems is how SQLite fails.
  it.each(system === 'tmpfs' ? ['with', 'without'] : ['with'])(
    'lets people look, %s the reserve, and says what could go',
    async (which) => {
      const looking = [
        ['list', {}],
        ['get', { name: 'demo' }],
        ['logs', { name: 'demo' }],
        ['backups list', {}],
        ['trash', {}],
        ['history', {}],
        ['doctor', {}],
      ] as const
      for (const [action, input] of looking) {
        const manager = onFullDisk({ reserve: which === 'with' })
        const { warnings } = await manager.perform(action, input, test.caller)
        expect(warnings?.join('\n'), action).toMatch(
          /^The disk of \S+ has 0 B free\. Can be deleted: what was deleted or replaced in the last day, if it is not needed, 3 MB \(manager trash\); .*old logs of instances, 200 kB/m,
        )
        manager.close()
      }
    },
  )

  it('lets people stop what fills it, and remove what is not needed', async () => {
    const stopping = onFullDisk()
    await stopping.perform('stop', { name: 'demo' }, test.caller)
    expect(stopping.context.registry.get('demo')).toMatchObject({ desired: 'stopped', observed: 'stopped' })
    stopping.close()
    const purging = onFullDisk()
    expect((await purging.perform('purge', { all: true }, test.caller)).message).toBe('1 permanently deleted.')
    purging.close()
    rmSync(ballast())
    const { warnings } = await test.another().perform('list', {}, test.caller)
    expect(warnings ?? []).toEqual([])
  })

  if (system !== 'tmpfs') return

  it('starts no server, which would keep others from the registry', async () => {
    expect(await failure(onFullDisk().perform('serve', {}, test.caller))).toMatchObject({ code: 'ERR_DISK' })
  })

  it('stops an instance even when nothing can be written, and says that it is not written down', async () => {
    const manager = onFullDisk({ reserve: false })
    const { warnings } = await manager.perform('stop', { name: 'demo' }, test.caller)
    expect(warnings?.join('\n')).toContain('could not be recorded')
    const { id } = manager.context.registry.get('demo')
    const { folder: home } = manager.context.home.instance(id)
    expect(await manager.context.runtimes.named('process').observe({ id, folder: home })).toMatchObject({
      state: 'stopped',
    })
  })

  it('refuses what needs room before it starts, and says how much is needed and free', { tags: 'core' }, async () => {
    test.manager.close()
    fillDisk(ballast())
    for (const [action, input] of [
      ['add', { name: 'more' }],
      ['clone', { name: 'demo', new: 'other' }],
      ['restore', { name: 'demo' }],
      ['upgrade', { name: 'demo', force: true }],
      ['save', { name: 'demo' }],
      ['reset', { name: 'demo' }],
    ] as const) {
      const manager = test.another()
      const error = await failure(manager.perform(action, input, test.caller))
      expect([action, error?.message]).toEqual([action, expect.stringMatching(/: [\d.]+ [kMG]?B needed, 0 B free\.$/)])
      expect(error?.help).not.toMatch(/purge --all(?! --days)/)
      expect(manager.context.registry.get('demo').operation).toBe('')
      manager.close()
    }
    rmSync(ballast())
    await test.another().perform('save', { name: 'demo' }, test.caller)
  })
})
