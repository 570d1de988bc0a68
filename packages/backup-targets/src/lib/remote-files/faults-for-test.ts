import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Fault } from '../../../../../tests/servers/fault-proxy.js'
import type { TestFileServer } from '../../../../../tests/servers/file-server.js'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { run } from '../../../../../tests/servers/programs.js'
import { bytesSource, reliable, type BackupTarget } from '../../index.js'
import { bytesOf } from '../checks/expect.js'
import { madeUpBytes } from '../checks/made-up.js'
import type { StoreOfTests } from './store-for-test.js'
import { interrupted, sha256 } from './upload-for-test.js'

export const bytes = madeUpBytes(3_000_000)
export const upload = sha256(bytes)

/** What differs between kinds of servers. */
export interface FaultsFixture {
  /** This many of the first 2 000 000 bytes of an upload are in the file before more are sent. */
  readonly arriving: number
  /** A store as rclone calls it. */
  rclone(): Promise<string> | string
}

/** What any server of files must bear. */
export function testFaults(store: StoreOfTests<TestFileServer>, { arriving, rclone }: FaultsFixture): void {
  const part = () => join(store.path, `.a.${upload}.part`)

  it('that is killed in mid-upload fails it; the next one goes on behind what is there', async () => {
    const target = await store.open()
    const cut = interrupted(bytes, 2_000_000, async () => {
      await expect.poll(() => statSync(part()).size).toBeGreaterThanOrEqual(arriving)
      store.server.killSessions()
    })
    await expect(target.put('a', cut, { upload })).rejects.toMatchObject({ code: 'ERR_TARGET_UNREACHABLE' })
    const there = statSync(part()).size
    expect((await target.list()).objects).toEqual([])
    expect(await target.stat('a')).toBeUndefined()
    const told: number[] = []
    await target.put('a', bytesSource(bytes), { upload, onProgress: (at) => told.push(at) })
    expect(told[0]).toBe(there)
    expect(readFileSync(join(store.path, 'a')).equals(bytes)).toBe(true)
    expect(readdirSync(store.path)).toEqual(['a'])
  })

  it('finds by its hash that what is there was damaged, and gets it anew', async () => {
    const damaged = Buffer.from(bytes.subarray(0, 2_000_000))
    damaged[10] = (damaged[10] as number) ^ 1
    writeFileSync(part(), damaged)
    store.give(part())
    await (await store.open()).put('a', bytesSource(bytes), { upload })
    expect(readFileSync(join(store.path, 'a')).equals(bytes)).toBe(true)
  })

  it('without such a folder is told so, and none is made', async () => {
    const path = join(store.path, 'not there')
    await expect(store.open({ path })).rejects.toMatchObject({
      code: 'ERR_TARGET_SETTINGS',
      message: expect.stringContaining('There is no folder') as string,
    })
    expect(existsSync(path)).toBe(false)
  })

  it.skipIf(toolIsMissing('rclone'))('gives rclone the same bytes', async () => {
    await (await store.open()).put('set/a', bytesSource(bytes))
    const sums = await run(['rclone', '--config', '/dev/null', 'hashsum', 'sha256', '--download', await rclone()])
    expect(sums.trim()).toBe(`${upload}  set/a`)
  })

  it('that is away when the target is opened is found when it comes back', async () => {
    await store.server.stop()
    const target = await store.open()
    expect(target.capabilities.hashes).toEqual([])
    await expect(target.stat('a')).rejects.toMatchObject({ code: 'ERR_TARGET_UNREACHABLE' })
    await store.server.start()
    expect(await target.stat('a')).toBeUndefined()
    expect(target.capabilities.hashes).toEqual(['sha256'])
  })
}

/** For a server that takes a mebibyte and no more. */
export function testFullDisk(store: StoreOfTests<TestFileServer>): void {
  it('says so, and keeps nothing of the upload', async () => {
    const target = await store.open()
    await expect(target.put('a', bytesSource(bytes), { upload })).rejects.toMatchObject({ code: 'ERR_TARGET_FULL' })
    expect(readdirSync(store.path)).toEqual([])
    await target.put('b', bytesSource('abc'))
    expect((await target.list()).objects.map(({ key }) => key)).toEqual(['b'])
  })
}

export interface DisturbedStore {
  /** Through a network that does harm; closed by the test. */
  readonly target: BackupTarget
  /** Where the server keeps its objects. */
  readonly folder: string
  /** Harms the next connection with data. */
  harm(fault: Fault): void
}

/**
 * Uploads meet a network that is cut and one that is silent, a download one that ends.
 *
 * @param how `size`: of an object, more than the system takes by itself; `end`: of the download
 */
export function testDisturbedNetwork(
  { size, end }: { size: number; end: Fault['kind'] },
  open: () => Promise<DisturbedStore>,
): void {
  it('behind a network that is cut and silent gets all, by and by', async () => {
    const { target: plain, folder, harm } = await open()
    const content = madeUpBytes(size)
    const seen: string[] = []
    const onRetry = ({ error }: { error: Error }) => seen.push(error.message)
    const target = reliable(plain, { minPauseMs: 1, maxPauseMs: 5, idleMs: 3000, onRetry })
    for (const kind of ['reset', 'blackhole'] as const) {
      harm({ kind, afterBytes: 1_000_000 })
      await target.put(kind, bytesSource(content), { upload: sha256(content) })
      expect(readFileSync(join(folder, kind)).equals(content)).toBe(true)
    }
    harm({ kind: end, afterBytes: 1_000_000, direction: 'down' })
    expect((await bytesOf(target, 'reset')).equals(content)).toBe(true)
    expect(seen).toContain('Nothing moved for 3 s.')
    expect(seen.length).toBeGreaterThanOrEqual(3)
    await target.close()
  })
}
