import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bytesOf, listAll } from '../checks/expect.js'
import { gated, madeUpBytes, pieces } from '../checks/made-up.js'
import { bytesSource } from '../sources.js'
import type { BackupTarget } from '../target.js'
import { createLocalTarget } from './target.js'
import { target as localType } from './target.js'

let path: string
let target: BackupTarget

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'steward-local-faults-'))
  target = createLocalTarget({ path })
})

afterEach(() => rmSync(path, { recursive: true, force: true }))

const upload = 'ab'.repeat(32)

/** Runs a program that uploads `data` as `demo/file` and stops in the middle; gives its output until then. */
async function uploader(data: string, prefix: readonly string[] = []) {
  const built = pathToFileURL(join(import.meta.dirname, '../../../dist/index.js')).href
  const program = `
    import { createReadStream } from 'node:fs'
    import { openTarget } from '${built}'
    const target = await openTarget({ type: 'local', options: { path: ${JSON.stringify(path)} } })
    async function* half() {
      let given = 0
      for await (const chunk of createReadStream(${JSON.stringify(data)})) {
        if (given > 500_000 && process.argv[1] === 'stop') await new Promise(() => setInterval(() => {}, 1000))
        given += chunk.length
        yield chunk
      }
    }
    const { Readable } = await import('node:stream')
    const onProgress = (bytes) => bytes > 500_000 && process.stdout.write('half ')
    try {
      await target.put('demo/file', { size: 1_000_000, open: () => Readable.from(half()) }, { upload: '${upload}', onProgress })
      process.stdout.write('stored')
    } catch (error) {
      process.stdout.write(error.code)
    }`
  const node = [process.execPath, '--input-type=module', '-e', program]
  const [command = '', ...args] = prefix.length > 0 ? [...prefix, ...node] : [...node, 'stop']
  return spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}

describe('a local target', () => {
  it('has nothing of an upload whose process was killed, and continues with what was written', async () => {
    const bytes = madeUpBytes(1_000_000)
    const data = join(path, '.data')
    writeFileSync(data, bytes)
    const child = await uploader(data)
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await listAll(target, {})).toEqual([])
    expect(await target.stat('demo/file')).toBeUndefined()
    expect(readdirSync(join(path, 'demo'))).toEqual([`.file.${upload}.part`])
    const told: number[] = []
    await target.put('demo/file', pieces(bytes), { upload, onProgress: (at) => told.push(at) })
    expect(told[0]).toBeGreaterThan(500_000)
    expect((await bytesOf(target, 'demo/file')).equals(bytes)).toBe(true)
    expect(readdirSync(join(path, 'demo'))).toEqual(['file'])
  })

  it('says that there is no room, and removes what was written', async () => {
    const data = join(path, '.data')
    writeFileSync(data, madeUpBytes(1_000_000))
    // No file may grow beyond 512 KB; the signal that says so is not heard.
    const child = await uploader(data, ['sh', '-c', `trap '' XFSZ; ulimit -f 1000; exec "$0" "$@"`])
    const [output] = (await once(child.stdout, 'data')) as [Buffer]
    await once(child, 'exit')
    expect(output.toString()).toContain('ERR_TARGET_FULL')
    expect(readdirSync(path)).toEqual(['.data'])
  })

  it('keeps what was flipped by the disk from being published by a resume', async () => {
    const bytes = madeUpBytes(1_000_000)
    mkdirSync(join(path, 'demo'))
    const half = Buffer.from(bytes.subarray(0, 600_000))
    half.writeUInt8(half.readUInt8(300_000) ^ 4, 300_000)
    writeFileSync(join(path, 'demo', `.file.${upload}.part`), half)
    await target.put('demo/file', pieces(bytes), { upload })
    expect((await bytesOf(target, 'demo/file')).equals(bytes)).toBe(true)
  })

  it('cuts off what a longer content of the same name has left', async () => {
    mkdirSync(join(path, 'demo'))
    writeFileSync(join(path, 'demo', `.file.${upload}.part`), 'abcdef')
    await target.put('demo/file', bytesSource('abc'), { upload })
    expect(readFileSync(join(path, 'demo', 'file'), 'utf8')).toBe('abc')
  })

  it('does not touch an object whose upload was killed between its two last steps', async () => {
    await target.put('a', bytesSource('before'))
    linkSync(join(path, 'a'), join(path, `.a.${upload}.part`))
    const { source, reached, release } = gated(Buffer.from('after'))
    const put = target.put('a', source, { upload })
    await reached
    expect(readFileSync(join(path, 'a'), 'utf8')).toBe('before')
    release()
    await put
    expect(readFileSync(join(path, 'a'), 'utf8')).toBe('after')
    expect(readdirSync(path)).toEqual(['a'])
  })

  it('bears two processes with the same upload', async () => {
    const bytes = madeUpBytes(400_000)
    const [one, other] = [gated(bytes), gated(bytes)]
    const puts = [one, other].map(({ source }) => target.put('a', source, { upload }))
    await Promise.all([one.reached, other.reached])
    one.release()
    await puts[0]
    other.release()
    expect(await Promise.all(puts)).toMatchObject([{ size: 400_000 }, { size: 400_000 }])
    expect((await bytesOf(target, 'a')).equals(bytes)).toBe(true)
    expect(readdirSync(path)).toEqual(['a'])
  })

  it('stores into folders that are being emptied', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `demo/1/${index}`)
    await Promise.all(
      names.map(async (name) => {
        await target.put(name, bytesSource(name))
        await target.delete(name)
      }),
    )
    expect(readdirSync(path)).toEqual([])
  })

  it('is never a folder that is missing, as that of a disk that is not mounted', async () => {
    const other = createLocalTarget({ path: join(path, 'disk') })
    const refused = { code: 'ERR_TARGET_SETTINGS', help: expect.stringContaining('mount') }
    await expect(other.put('a', bytesSource('a'))).rejects.toMatchObject(refused)
    await expect(other.stat('a')).rejects.toMatchObject(refused)
    await expect(other.get('a')).rejects.toMatchObject(refused)
    await expect(other.list()).rejects.toMatchObject(refused)
    await expect(other.delete('a')).rejects.toMatchObject(refused)
    expect(readdirSync(path)).toEqual([])
    writeFileSync(join(path, 'file'), '')
    await expect(createLocalTarget({ path: join(path, 'file') }).list()).rejects.toMatchObject(refused)
  })

  it('says what it may not do', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may do everything')
    await target.put('demo/a', bytesSource('a'))
    chmodSync(join(path, 'demo'), 0o500)
    await expect(target.put('demo/b', bytesSource('b'))).rejects.toMatchObject({ code: 'ERR_TARGET_REFUSED' })
    await expect(target.delete('demo/a')).rejects.toMatchObject({ code: 'ERR_TARGET_REFUSED' })
    chmodSync(join(path, 'demo'), 0o700)
  })

  it('has no objects in links, folders and files of others', async () => {
    await target.put('demo/a', bytesSource('a'))
    writeFileSync(join(path, 'lost file'), 'not ours')
    writeFileSync(join(path, '.hidden'), 'not ours')
    symlinkSync('demo/a', join(path, 'link'))
    symlinkSync('/etc', join(path, 'folder'))
    expect((await listAll(target, {})).map(({ key }) => key)).toEqual(['demo/a'])
    expect(await target.stat('link')).toBeUndefined()
    expect(await target.stat('demo')).toBeUndefined()
    expect(await target.delete('demo')).toBe(false)
    for (const key of ['link', 'demo', 'demo/a/b'])
      await expect(bytesOf(target, key)).rejects.toMatchObject({ code: 'ERR_TARGET_NOT_FOUND' })
    await expect(target.put('demo/a/b', bytesSource('b'))).rejects.toMatchObject({ code: 'ERR_TARGET_SETTINGS' })
    await expect(target.put('demo', bytesSource('b'))).rejects.toMatchObject({ code: 'ERR_TARGET_SETTINGS' })
    expect((await listAll(target, {})).map(({ key }) => key)).toEqual(['demo/a'])
  })

  it('keeps what it stores from other users', async () => {
    await target.put('demo/a', bytesSource('a'))
    expect(statSync(join(path, 'demo', 'a')).mode & 0o777).toBe(0o600)
  })

  it('wants an absolute path', () => {
    expect(() => localType.open({ path: 'backups' }, { idleMs: 1, environment: {} })).toThrow('not absolute')
    expect(localType.describe({ path: '/srv/backups' })).toBe('file:///srv/backups')
  })
})
