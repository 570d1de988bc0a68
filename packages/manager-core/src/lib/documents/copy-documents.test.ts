import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Settings } from '../settings/settings.js'
import { copyDocuments } from './copy-documents.js'

it('copyDocuments() copies documents, and refuses what a bucket cannot hold before anything is copied', async () => {
  const base = mkdtempSync(join(tmpdir(), 'steward-documents-'))
  onTestFinished(() => rmSync(base, { recursive: true }))
  const [folder, to] = [join(base, 'documents'), join(base, 'copy')]
  mkdirSync(join(folder, 'ab'), { recursive: true })
  writeFileSync(join(folder, 'ab', 'content'), 'text')
  // No bucket is used.
  const context = { settings: {} as Settings }
  const copy = () => copyDocuments(context, { folder }, { folder: to })
  symlinkSync('content', join(folder, 'ab', 'link'))
  await expect(copy()).rejects.toThrow(`${join(folder, 'ab', 'link')}" cannot be moved to a bucket: it is a link.`)
  rmSync(join(folder, 'ab', 'link'))
  const name = Buffer.from(`${folder}/ab/Gr\xf6sse`, 'latin1')
  writeFileSync(name, 'size')
  await expect(copy()).rejects.toThrow('cannot be moved to a bucket: its name is not UTF-8.')
  rmSync(name)
  expect(existsSync(join(to, 'ab'))).toBe(false)
  execFileSync('mkfifo', [join(folder, 'ab', 'pipe')])
  await copy()
  expect(readdirSync(join(to, 'ab'))).toEqual(['content'])
})
