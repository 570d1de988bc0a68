import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { unpackTar } from 'modern-tar'
import { expect, it, onTestFinished } from 'vitest'
import { packInNode } from './pack-in-node.js'

it('packInNode() of an account leaves out files of other users and reports them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-pack-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'data', 'file'), 'of this user')
  const pack = async (owner: number) => {
    const { content, done } = packInNode([{ source: join(folder, 'data'), target: 'data', owner }])
    const [bytes, changes] = await Promise.all([buffer(content), done])
    return { names: (await unpackTar(bytes)).map(({ header }) => header.name), changes }
  }
  const user = process.getuid?.() ?? 0
  expect(await pack(user)).toEqual({ names: ['data/', 'data/file'], changes: [] })
  expect(await pack(user + 1)).toEqual({
    names: ['data/'],
    changes: [`${join(folder, 'data', 'file')}: belongs to another user and is not in the backup`],
  })
})

it('packInNode() takes nothing from beside a root, also where a link of it leads, and no target that leads out', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-pack-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const root = join(folder, 'root')
  mkdirSync(join(folder, 'beside'))
  mkdirSync(root)
  writeFileSync(join(folder, 'beside', 'file'), 'secret')
  writeFileSync(join(root, 'file'), 'public')
  symlinkSync('../beside', join(root, 'link'))
  const pack = async (source: string, target: string) => {
    const { content, done } = packInNode([{ source, target, root }])
    const [bytes] = await Promise.all([buffer(content), done])
    return (await unpackTar(bytes)).map(({ header: { name, type } }) => `${type} ${name}`)
  }
  expect(await pack(root, 'all')).toEqual(['directory all/', 'file all/file', 'symlink all/link'])
  expect(await pack(join(root, 'missing'), 'all')).toEqual([])
  for (const source of ['../beside', 'link/file', 'link/../beside/file'])
    await expect(pack(`${root}/${source}`, 'all')).rejects.toThrow(`is not in ${root}`)
  for (const target of ['../all', 'all/../../other', '/etc/all'])
    await expect(pack(root, target)).rejects.toThrow(`"${target}" is not a path in an archive`)
})
