import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { unpackDownload } from '../testing/unpack-download.js'

describe('download', () => {
  let test: TestManager
  beforeAll(async () => {
    test = await createTestManager()
    await test.perform('add', { name: 'demo' })
    for (const name of ['document.txt', 'token.secret']) writeFileSync(test.path('demo', 'data', name), 'a document')
  })
  afterAll(() => test.close())

  it('holds the part that is asked for', async () => {
    expect(readdirSync(await unpackDownload(test, { name: 'demo', type: 'logs' }))).toEqual(['logs'])
    const webapp = await unpackDownload(test, { name: 'demo', type: 'webapp' })
    expect(readdirSync(webapp)).toEqual(['app'])
    expect(readFileSync(join(webapp, 'app', 'app.yaml'), 'utf8')).toMatch(/^name: /m)
    const data = await unpackDownload(test, { name: 'demo', type: 'data' })
    expect(readFileSync(join(data, 'data', 'document.txt'), 'utf8')).toBe('a document')
    expect(readdirSync(join(data, 'data')).filter((name) => name.startsWith('database'))).toEqual(['database.db'])
    expect(existsSync(join(data, 'data', 'token.secret'))).toBe(false)
  })

  it('says what is not in it, in the file and to its reader', async () => {
    const pipe = test.path('demo', 'data', 'pipe')
    await execa('mkfifo', [pipe])
    const { databases } = test.context
    const sqlite = databases.server('sqlite')
    const lost = (type: string) => `View "left_over" is not in the ${type}: its table is gone.`
    // As of MySQL, which keeps views that cannot be made again.
    const spied = vi.spyOn(databases, 'server').mockReturnValue({
      ...sqlite,
      dump: async (account, options) => ({ ...(await sqlite.dump(account, options)), warnings: [lost('dump')] }),
      async copy(from, to, options) {
        await sqlite.copy(from, to, options)
        options?.warn?.(lost('copy'))
      },
    })
    try {
      const left = (what: string) => ['data/pipe was left out: it is a named pipe, not a file.', lost(what)]
      const { file } = await test.perform('download', { name: 'demo', type: 'data' })
      const { content, warnings } = file as NonNullable<typeof file>
      const { stdout } = await execa('tar', ['-xzO', 'demo/LEFT-OUT.txt'], { input: await buffer(content()) })
      expect(stdout.split('\n')).toEqual(left('dump'))
      expect(warnings).toEqual(left('dump'))
      const { file: all } = await test.perform('download', { name: 'demo' })
      for await (const chunk of all!.content()) if (chunk.length > 0) break
      expect(all!.warnings).toEqual(left('copy'))
      const cloned = await test.perform('clone', { name: 'demo', new: 'copy', 'no-start': true })
      expect(cloned.warnings).toContain(lost('copy'))
    } finally {
      spied.mockRestore()
      rmSync(pipe)
    }
    expect(readdirSync(await unpackDownload(test, { name: 'demo', type: 'data' }))).not.toContain('LEFT-OUT.txt')
  })

  it('leaves nothing behind when its reader stops', async () => {
    const { file } = await test.perform('download', { name: 'demo' })
    const { content } = file as NonNullable<typeof file>
    for await (const chunk of content()) if (chunk.length > 0) break
    expect(readdirSync(test.home).filter((name) => name.startsWith('.download'))).toEqual([])
  })

  it('of a backup is one tar, which becomes a backup again where it is unpacked', async () => {
    await test.perform('save', { name: 'demo' })
    const { key, folder, manifest } = await test.context.backups.find('demo', 'latest')
    const { file } = await test.perform('download', { name: 'demo', backup: 'latest' })
    const { name, content } = file as NonNullable<typeof file>
    expect(name).toBe(`demo-${manifest.id}.tar`)
    const tar = await buffer(content())
    const { stdout } = await execa('tar', ['-t'], { input: tar })
    expect(stdout.split('\n')).toEqual(
      ['db.sqlite.zst', 'files.tar.zst', 'manifest.json'].map((one) => `${key}/${one}`),
    )
    // Also when the instance is gone.
    rmSync(join(test.home, 'save'), { recursive: true })
    mkdirSync(join(test.home, 'save'))
    await execa('tar', ['-x', '-C', join(test.home, 'save')], { input: tar })
    await test.perform('delete', { name: 'demo', purge: true })
    await test.perform('restore', { name: 'demo' })
    await expect(test.perform('download', { name: 'demo', backup: 'latest', type: 'data' })).rejects.toThrow(
      'as a whole',
    )

    // One that was changed never comes whole.
    const path = join(folder, 'files.tar.zst')
    const whole = readFileSync(path)
    const changed = Buffer.from(whole)
    changed[changed.length - 1] = (changed.at(-1) as number) ^ 1
    for (const bad of [changed, whole.subarray(0, -1), Buffer.concat([whole, Buffer.from('x')])]) {
      rmSync(path)
      writeFileSync(path, bad)
      const again = await test.perform('download', { name: 'demo', backup: 'latest' })
      await expect(buffer((again.file as NonNullable<typeof file>).content())).rejects.toMatchObject({
        code: 'ERR_BACKUP',
      })
    }
  })

  it('is refused where it is switched off', async () => {
    const other = await createTestManager({ config: ['APPS_ALLOWDOWNLOAD=no'], refresh: false })
    try {
      await expect(other.perform('download', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_STATE' })
    } finally {
      await other.close()
    }
  })
})
