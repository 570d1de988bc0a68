import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { unpackTar } from 'modern-tar'
import { expect, it, onTestFinished } from 'vitest'
import { createEntryCheck } from './check-entries.js'
import { packInNode } from './pack-in-node.js'
import { createTarReader } from './tar-reader.ts'

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

it('packInNode() keeps names of any bytes and length, and GNU tar finds the same in it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-pack-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [from, to] = [join(folder, 'from'), join(folder, 'to')]
  const script = String.raw`mkdir -p "$0" "$1" && cd "$0" && mkdir -m 2755 "$(printf 'Gr\366sse')" && long=$(printf '%0200d' 0) &&
    echo 1 > "$(printf 'Gr\366sse/\374')" && mkdir "$long" && echo 2 > "$long/größe ☃" && echo 3 > "$(printf "$long\377")" &&
    ln -s "$(printf "$long\377")" link && ln -s "$(printf '\377')" short && touch -d 1990-01-01 old &&
    ln -s old "$(printf '\\376')" && mkdir "$(printf '\\375')" && echo 4 > "$(printf '\\375/below no link')"`
  execFileSync('sh', ['-c', script, from, to])
  const { content, done } = packInNode([{ source: from, target: 'all', root: from }])
  const [bytes] = await Promise.all([buffer(content), done])
  const reader = createTarReader(createEntryCheck({ tops: ['all'] }))
  reader.write(bytes)
  reader.end()
  execFileSync('tar', ['-x', '-p', '-C', to], { input: bytes })
  const tree = (of: string) =>
    execFileSync(
      'sh',
      ['-c', String.raw`cd "$0" && find . -mindepth 1 -printf '%P %y %m %s %l %Ts\n' | LC_ALL=C sort`, of],
      { encoding: 'latin1' },
    )
  // Folders have been written into since.
  const withoutTimes = (text: string) => text.replaceAll(/ (?=d ).*|(?<= l .*) \d+$/gm, '')
  expect(withoutTimes(tree(join(to, 'all')))).toBe(withoutTimes(tree(from)))
})
