import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
