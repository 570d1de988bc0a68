import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packTar } from 'modern-tar/fs'
import { expect, it, onTestFinished } from 'vitest'
import { foldersAbove } from './local-image.js'

it('an image has an entry for each of its folders, which all may enter', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-image-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const empty = mkdtempSync(join(folder, 'empty-'))
  const sources = ['usr/local/bin/node', 'bin/sh', 'usr/lib/x.so', 'tmp/.keep'].map((target) => ({
    ...{ type: 'content' as const, target, content: 'x', mode: 0o755 },
  }))
  const archive = join(folder, 'image.tar')
  await writeFile(archive, packTar([...foldersAbove(sources, empty), ...sources]))
  const lines = execFileSync('tar', ['-tvf', archive], { encoding: 'utf8' }).trim().split('\n')
  const entries = lines.map((line) => `${line.split(/\s+/)[0] ?? ''} ${line.split(/\s+/).at(-1) ?? ''}`)
  expect(entries).toEqual([
    ...['bin/', 'tmp/', 'usr/', 'usr/lib/', 'usr/local/', 'usr/local/bin/'].map(
      (name) => `${name === 'tmp/' ? 'drwxrwxrwt' : 'drwxr-xr-x'} ${name}`,
    ),
    ...sources.map(({ target }) => `-rwxr-xr-x ${target}`),
  ])
})
