import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, linkSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packTar } from 'modern-tar'
import { describe, expect, it, onTestFinished } from 'vitest'
import { endOfTar, forgedFile, forgedHeader, forgedPax, hidden } from '../../testing/forged-archive.js'
import { createEntryCheck } from './check-entries.js'
import { createTarReader, type TarEntry } from './tar-reader.ts'
import { packingTools } from './tools.js'

const hasTar = (await packingTools()).tar !== undefined

function read(
  tar: Uint8Array,
  pieceSize = tar.length,
  check = createEntryCheck({ tops: ['app', 'data'] }),
): readonly TarEntry[] {
  const entries: TarEntry[] = []
  const reader = createTarReader((entry) => {
    check(entry)
    entries.push(entry)
  })
  for (let at = 0; at < tar.length; at += pieceSize) reader.write(tar.subarray(at, at + pieceSize))
  reader.end()
  return entries
}

const tarOf = (...blocks: readonly Buffer[]) =>
  Buffer.concat([forgedHeader({ name: 'data/', type: '5' }), ...blocks, endOfTar])

describe('what backups have', () => {
  const long = `data/${'folder/'.repeat(30)}größe ☃`

  it('is read in pieces of any size, from the packer of Node', async () => {
    const tar = await packTar([
      { header: { name: 'data/', type: 'directory', size: 0 } },
      { header: { name: long, size: 700 }, body: new Uint8Array(700).fill(1) },
      { header: { name: 'data/link', type: 'symlink', linkname: long.slice('data/'.length), size: 0 } },
    ])
    for (const size of [1, 7, 511, 512, 513, tar.length])
      expect(read(tar, size).map(({ name, type, linkname }) => [name, type, linkname])).toEqual([
        ['data/', 'directory', undefined],
        [long, 'file', undefined],
        ['data/link', 'symlink', long.slice('data/'.length)],
      ])
  })

  it.runIf(hasTar).each(['posix', 'gnu', 'ustar'])('is read from GNU tar, format %s', (format) => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-reader-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const deep = join(folder, format === 'ustar' ? 'data/short' : `data/${'folder/'.repeat(30)}`)
    mkdirSync(deep, { recursive: true })
    writeFileSync(join(deep, 'größe ☃'), 'x'.repeat(700))
    linkSync(join(deep, 'größe ☃'), join(folder, 'data/same'))
    symlinkSync('same', join(folder, 'data/link'))
    writeFileSync(join(folder, 'data/hole'), '')
    truncateSync(join(folder, 'data/hole'), 100_000)
    const args = [`--format=${format}`, '--create', `--directory=${folder}`, 'data']
    const tar = execFileSync('tar', args, { maxBuffer: 2 ** 28 })
    const listed = execFileSync('tar', ['--list', '--quoting-style=literal'], { input: tar, encoding: 'utf8' })
    // The program finds the same in it.
    expect(
      `${read(tar)
        .map(({ name }) => name)
        .join('\n')}\n`,
    ).toBe(listed)
  })

  it('may be larger than a header can say', () => {
    const file = [...forgedPax({ size: String(2 ** 33) }), forgedHeader({ name: 'data/large', size: 0 })]
    expect(() => read(tarOf(...file))).toThrow('incomplete')
  })
})

describe('what programs read in different ways is refused', () => {
  it.runIf(hasTar)('GNU tar finds a hidden device', () => {
    const input = tarOf(...hidden('data', forgedHeader({ name: 'data/disk', type: '4' })))
    expect(execFileSync('tar', ['--list'], { input, encoding: 'utf8' })).toContain('data/disk\n')
  })

  const device = forgedHeader({ name: 'data/disk', type: '4', mode: 0o666 })
  it.each([
    ['a block device', [device], 'data/disk'],
    ['a character device', [forgedHeader({ name: 'data/tty', type: '3' })], 'data/tty'],
    ['a pipe', [forgedHeader({ name: 'data/pipe', type: '6' })], 'data/pipe'],
    ...['7', 'D', 'M', 'N', 'S', 'V', 'X', 'A', 'g', ' '].map(
      (type) =>
        [`the type "${type}"`, [forgedHeader({ name: 'data/x', type, gnu: true })], `the type "${type}"`] as const,
    ),
    ['a device in the second part of a sparse file', hidden('data', device), 'data/s'],
    ['a sparse file of pax', [...forgedPax({ 'GNU.sparse.major': '1' }), device], 'GNU.sparse.major'],
    ['a dumped folder', [...forgedPax({ 'GNU.dumpdir': 'Yx' }), device], 'GNU.dumpdir'],
    ['extended attributes', [...forgedPax({ 'SCHILY.xattr.security.capability': 'x' }), device], 'SCHILY'],
    ['a set-uid program', [forgedHeader({ name: 'data/su', mode: 0o4755 })], 'set-uid'],
    ['a set-gid program', [forgedHeader({ name: 'data/su', mode: 0o2755 })], 'set-uid'],
    ['a file of another folder', [forgedHeader({ name: 'settings.sh' })], 'in none of the folders'],
    ['a link in the place of a folder', [forgedHeader({ name: 'app', type: '2', linkname: 'data' })], 'not a folder'],
    [
      'a file below a link',
      [forgedHeader({ name: 'data/l', type: '2', linkname: '.' }), forgedHeader({ name: 'data/l/f' })],
      'below a link',
    ],
    ['a hard link out', [forgedHeader({ name: 'data/l', type: '1', linkname: '../x' })], 'leads out'],
    [
      'a hard link to another folder',
      [forgedHeader({ name: 'data/l', type: '1', linkname: 'settings.sh' })],
      'leads out',
    ],
    ['a hard link with data', forgedFile({ name: 'data/l', type: '1', linkname: 'data/x' }, device), 'bytes of data'],
    ['a link with data', forgedFile({ name: 'data/l', type: '2', linkname: 'x' }, device), 'bytes of data'],
    ['a folder with data', forgedFile({ name: 'data/f/', type: '5' }, device), 'bytes of data'],
    ['a file with the name of a folder', forgedFile({ name: 'data/f/' }, device), 'the name of a folder'],
    ['two sizes', [...forgedPax({ size: '0' }), ...forgedFile({ name: 'data/x' }, device)], 'two sizes'],
    ['a size that is not a number', [...forgedPax({ size: '0x0' }), forgedHeader({ name: 'data/x' })], 'two sizes'],
    ['a size in another notation', [forgedHeader({ name: 'data/x', bytes: { 124: '\x80' } })], 'a size'],
    ['a name that ends before its end', [...forgedPax({ path: 'data/x\0y' }), device], 'a wrong "path"'],
    [
      'two names',
      [...forgedPax({ path: 'data/x' }), ...forgedFile({ name: 'y', type: 'L' }, 'data/y\0'), device],
      'several',
    ],
    ['two extra headers', [...forgedPax({ path: 'data/x' }), ...forgedPax({ path: 'data/y' }), device], 'several'],
    ['an extra header without an entry', forgedPax({ path: 'data/x' }), 'no entry'],
    ['something after a name', [forgedHeader({ name: 'data/x', bytes: { 20: 'y' } })], 'after a name'],
    ['something after the end', [endOfTar, device], 'follows the end'],
    ['something after half of the end', [Buffer.alloc(512), device], 'follows the end'],
    ['fields that only GNU tar reads', [forgedHeader({ name: 'data/x', gnu: true, bytes: { 386: '1' } })], 'fields'],
    ['another format', [forgedHeader({ name: 'data/x', bytes: { 257: '\0\0\0\0\0\0\0\0' } })], 'unknown format'],
  ] as const)('%s', (_what, blocks, why) => {
    expect(() => read(tarOf(...blocks))).toThrow(why)
  })

  it('an archive that was cut off', () => {
    const whole = tarOf(...forgedFile({ name: 'data/x' }, 'x'))
    for (const length of [0, 100, 600, 1200, whole.length - 512]) {
      expect(() => read(whole.subarray(0, length)), String(length)).toThrow('incomplete')
    }
  })
})
