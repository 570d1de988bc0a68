/** @module-tag mixed */
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import type { Backup } from './backup.js'

describe('a backup that was changed', () => {
  let test: TestManager
  let good: string
  let backup: Backup
  beforeAll(async () => {
    test = await createTestManager()
    await test.perform('add', { name: 'demo', 'no-start': true })
    // Bytes that do not compress, the same in each run.
    const bytes = createHash('shake256', { outputLength: 400_000 }).update('demo').digest()
    writeFileSync(test.path('demo', 'data', 'random'), bytes)
    await test.perform('save', { name: 'demo' })
    backup = await test.context.backups.find('demo', 'latest')
    good = join(mkdtempSync(join(test.folder, 'good-')), 'copy')
    cpSync(backup.folder, good, { recursive: true })
  })
  afterAll(() => test.close())
  beforeEach(() => {
    for (const name of ['db.sqlite.zst', 'files.tar.zst', 'manifest.json']) chmodSync(join(backup.folder, name), 0o600)
  })
  afterEach(() => {
    rmSync(backup.folder, { recursive: true })
    cpSync(good, backup.folder, { recursive: true })
  })

  const file = (name: string) => join(backup.folder, name)

  function flip(name: string, at: number): void {
    const bytes = readFileSync(file(name))
    const index = Math.floor(bytes.length * at)
    bytes[index] = (bytes[index] as number) ^ 1
    writeFileSync(file(name), bytes)
  }

  const places = ['db.sqlite.zst', 'files.tar.zst', 'manifest.json'].flatMap((name) =>
    [0, 0.3, 0.5, 0.999].map((at) => [name, `a flipped bit at ${at * 100} %`, () => flip(name, at)] as const),
  )

  it.each([
    ...places,
    ['db.sqlite.zst', 'more bytes at its end', () => appendFileSync(file('db.sqlite.zst'), 'more')],
    ['files.tar.zst', 'a missing end', () => truncateSync(file('files.tar.zst'), 2000)],
    ['files.tar.zst', 'no file', () => rmSync(file('files.tar.zst'))],
    ['db.sqlite.zst', 'the content of another one', () => cpSync(file('files.tar.zst'), file('db.sqlite.zst'))],
    ['extra.txt', 'a file that does not belong to it', () => writeFileSync(file('extra.txt'), '')],
    ['manifest.json', 'a missing end', () => truncateSync(file('manifest.json'), 300)],
    [
      'manifest.json',
      'a later format',
      () => {
        writeFileSync(
          file('manifest.json'),
          readFileSync(file('manifest.json'), 'utf8').replace('"format": 1', '"format": 2'),
        )
      },
    ],
  ] as const)('%s with %s is found before anything is touched', async (name, _what, tamper) => {
    const before = await stateOf()
    tamper()
    const expected = { code: 'ERR_BACKUP', message: expect.stringContaining(name) }
    await expect(test.perform('backups verify', { name: 'demo', backup: backup.manifest.id })).rejects.toMatchObject(
      expected,
    )
    const restoring = test.perform('restore', { name: 'demo', from: backup.manifest.id })
    await expect(restoring).rejects.toMatchObject({ message: expect.stringContaining(name) })
    expect(await stateOf()).toEqual(before)
  })

  it(
    'with a bit that is another one is found wherever that is, by reading what is stored or what it holds',
    { tags: 'core' },
    async () => {
      const { find, verify } = test.context.backups
      const wrong = { code: 'ERR_BACKUP', message: expect.stringContaining('is damaged') }
      const name = fc.constantFrom('db.sqlite.zst', 'files.tar.zst', 'manifest.json')
      const property = fc.asyncProperty(name, fc.nat(), fc.nat(7), fc.boolean(), async (changed, at, bit, deep) => {
        const whole = readFileSync(file(changed))
        const bytes = Buffer.from(whole)
        bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ (1 << bit)
        writeFileSync(file(changed), bytes)
        try {
          if (changed === 'manifest.json') await expect(find('demo', backup.manifest.id)).rejects.toMatchObject(wrong)
          else await expect(verify(backup, { deep })).rejects.toMatchObject(wrong)
        } finally {
          writeFileSync(file(changed), whole)
        }
      })
      await fc.assert(property, { numRuns: 100 })
      expect(await verify(backup)).toEqual({ depth: 'stored' })
      expect(await verify(backup, { deep: true })).toEqual({ depth: 'contents' })
    },
  )

  it('stays marked as damaged until it is read well again', async () => {
    flip('files.tar.zst', 0.5)
    await expect(test.perform('backups verify', { name: 'demo' })).rejects.toThrow('files.tar.zst')
    const { list } = await test.perform('backups list', { name: 'demo' })
    expect(list).toMatchObject([{ verified: '', damage: expect.stringContaining('files.tar.zst') }])
    flip('files.tar.zst', 0.5)
    await test.perform('backups verify', { name: 'demo' })
    expect((await test.perform('backups list', { name: 'demo' })).list).toMatchObject([{ damage: '' }])
  })

  it('is not a backup without its manifest, and shown when that cannot be read', async () => {
    truncateSync(file('manifest.json'), 300)
    const broken = await test.perform('backups list', { name: 'demo' })
    expect(broken).toMatchObject({ list: [], warnings: [expect.stringContaining('manifest.json')] })
    renameSync(file('manifest.json'), join(test.folder, 'away.json'))
    expect(await test.perform('backups list', { name: 'demo' })).toMatchObject({ list: [] })
    await expect(test.perform('restore', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  })

  async function stateOf() {
    const { stdout } = await execa('bash', [
      '-c',
      'cd "$1" && find . -type f | sort | xargs sha256sum',
      '-',
      test.path('demo'),
    ])
    return { files: stdout, instance: { ...test.instance('demo'), updated: '' } }
  }
})
