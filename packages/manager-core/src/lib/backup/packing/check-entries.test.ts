import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { packTar } from 'modern-tar'
import { expect, it } from 'vitest'
import { createEntryCheck, inspectTar } from './check-entries.js'

type Header = Parameters<typeof packTar>[0][number]['header']

/** Looks at an archive of these entries. */
async function inspect(...headers: readonly (Partial<Header> & Pick<Header, 'name'>)[]): Promise<void> {
  const tar = await packTar(
    headers.map((header) => ({ header: { size: 0, type: 'file', ...header }, body: new Uint8Array(header.size ?? 0) })),
  )
  await pipeline(Readable.from([tar]), inspectTar().resume())
}

it('takes files, folders and links that stay inside', async () => {
  await inspect(
    { name: 'app/', type: 'directory', mode: 0o2755 },
    { name: 'app/file', size: 3 },
    { name: `app/${'long/'.repeat(60)}größe ☃` },
    { name: 'app/node_modules/.bin/tool', type: 'symlink', linkname: '../tool/cli.js' },
    { name: 'data/nowhere', type: 'symlink', linkname: 'later' },
    { name: 'app/same', type: 'link', linkname: 'app/file' },
  )
})

it.each([
  ['a path above', { name: '../escaped' }],
  ['a path above, in the middle', { name: 'data/../../escaped' }],
  ['an absolute path', { name: '/etc/escaped' }],
  ['an absolute link', { name: 'data/link', type: 'symlink', linkname: '/etc' }],
  ['a link above', { name: 'data/link', type: 'symlink', linkname: '../../etc' }],
  ['a link that goes up after going down', { name: 'data/link', type: 'symlink', linkname: 'folder/../../..' }],
  ['a hard link above', { name: 'data/link', type: 'link', linkname: '../secret' }],
  ['an absolute hard link', { name: 'data/link', type: 'link', linkname: '/etc/passwd' }],
  ['a device', { name: 'data/disk', type: 'block-device' }],
  ['a terminal', { name: 'data/tty', type: 'character-device' }],
  ['a pipe', { name: 'data/pipe', type: 'fifo' }],
  ['a set-uid program', { name: 'app/su', mode: 0o4755 }],
] as const)('refuses %s, naming it', async (_what, header) => {
  await expect(inspect({ name: 'data/fine' }, header)).rejects.toThrow(`"${header.name}" `)
})

it('refuses what lies below a link', async () => {
  const links = [{ name: 'data/link', type: 'symlink', linkname: '.' }] as const
  await expect(inspect(...links, { name: 'data/link/file' })).rejects.toThrow('lies below a link')
  await expect(inspect(...links, { name: 'data/hard', type: 'link', linkname: 'data/link/x' })).rejects.toThrow(
    'leads out',
  )
})

it('refuses a second name of a link from which it leads out, and what lies below one', async () => {
  const link = { name: 'data/one/link', type: 'symlink', linkname: '../..' } as const
  const second = (name: string) => ({ name, type: 'link', linkname: './data/one//link' }) as const
  await inspect(link, second('data/two/link'), second('data/two/three/link'))
  await expect(inspect(link, second('data/link'))).rejects.toThrow('"data/link" is a link that leads out')
  await expect(inspect(link, second('data/two/link'), { name: 'data/two/link/file' })).rejects.toThrow('below a link')
  const check = createEntryCheck({ tops: ['data'] })
  check({ name: 'data/here', type: 'symlink', linkname: '.' })
  expect(() => check({ name: 'data', type: 'link', linkname: 'data/here' })).toThrow('is a link, not a folder')
})

it('refuses what is in none of the folders that a backup has', () => {
  for (const name of ['settings.sh', 'run/supervisor', '--checkpoint-action=exec=x', 'apples/x', './settings.sh'])
    expect(() => createEntryCheck({ tops: ['app', 'data'] })({ name })).toThrow('is in none of the folders app, data')
  for (const name of ['app/x', './data/x', 'app/']) createEntryCheck({ tops: ['app', 'data'] })({ name })
})
