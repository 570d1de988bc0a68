import { execFileSync } from 'node:child_process'
import { chownSync, lchownSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  foreignKind,
  openForeign,
  readForeignFile,
  readForeignFolder,
  readForeignLines,
  visitForeign,
} from './foreign.js'

const isRoot = process.getuid?.() === 0
/** An account that is on no machine. */
const uid = 54_321

let base: string
const at = (...parts: readonly string[]) => join(base, ...parts)

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'steward-foreign-'))
  mkdirSync(at('secret', 'folder'), { recursive: true })
  writeFileSync(at('secret', 'folder', 'file'), 'secret')
  mkdirSync(at('data', 'folder'), { recursive: true })
  writeFileSync(at('data', 'folder', 'file'), 'one\r\ntwo\n\nfour')
})
afterEach(() => rmSync(base, { recursive: true }))

const linesOf = async (path: string, options = {}) => {
  const lines: string[] = []
  for await (const line of readForeignLines(path, undefined, options)) lines.push(line)
  return lines
}
const filesBelow = async (path: string) => {
  const files: string[] = []
  await visitForeign(path, ({ path: found, kind, stats }) => {
    if (kind === 'file') files.push(`${found} ${stats.size}`)
  })
  return files.toSorted()
}

it('what is at the end of a path is a file, not a link, a folder or a pipe, and not too long', async () => {
  symlinkSync('folder/file', at('data', 'link'))
  execFileSync('mkfifo', [at('data', 'pipe')])
  expect(readForeignFile(at('data', 'folder', 'file'))).toBe('one\r\ntwo\n\nfour')
  expect(readForeignFile(at('data', 'folder', 'file'), undefined, 13)).toBeUndefined()
  for (const name of ['link', 'pipe', 'folder', 'missing', 'missing/file', 'folder/file/file'])
    expect([readForeignFile(at('data', name)), await openForeign(at('data', name))]).toEqual([undefined, undefined])
  expect(['link', 'pipe', 'folder', 'folder/file', 'no'].map((name) => foreignKind(at('data', name)))).toEqual([
    'link',
    'other',
    'folder',
    'file',
    undefined,
  ])
})

it('lines are cut, and what is read is bounded', async () => {
  const file = at('data', 'folder', 'file')
  expect(await linesOf(file)).toEqual(['one', 'two', '', 'four'])
  expect(await linesOf(file, { mostOfLine: 2 })).toEqual(['on', 'tw', '', 'fo'])
  expect(await linesOf(file, { most: 7 })).toEqual(['one', 'tw'])
  expect(await linesOf(at('data', 'missing'))).toEqual([])
  // Longer than one piece that is read.
  writeFileSync(file, `${'x'.repeat(600_000)}\nend\n${'y'.repeat(300_000)}`)
  expect((await linesOf(file)).map((line) => line.length)).toEqual([65_536, 3, 65_536])
})

it('links of this user lead on, also from one to the next, and in a circle to nothing', async () => {
  symlinkSync('data', at('second'))
  symlinkSync(at('second', 'folder'), at('first'))
  symlinkSync('circle', at('circle'))
  expect(readForeignFile(at('first', 'file'))).toContain('two')
  expect(await filesBelow(at('second', 'folder'))).toEqual(['file 14'])
  expect(readForeignFile(at('circle', 'file'))).toBeUndefined()
})

describe.runIf(isRoot)('below a folder of another user', () => {
  beforeEach(() => {
    symlinkSync('../secret', at('data', 'away'))
    symlinkSync('../secret/folder/file', at('data', 'folder', 'away'))
    execFileSync('chown', ['-hR', `${uid}`, at('data')])
  })

  it('no link leads on, wherever it is in the path', async () => {
    expect(readForeignFile(at('data', 'folder', 'file'), uid)).toContain('two')
    for (const path of ['away/folder/file', 'folder/away', 'away/folder/../folder/file']) {
      expect(readForeignFile(at('data', path))).toBeUndefined()
      expect(await openForeign(at('data', path))).toBeUndefined()
      expect(await linesOf(at('data', path))).toEqual([])
    }
    expect(foreignKind(at('data', 'away', 'folder'))).toBeUndefined()
    expect(await readForeignFolder(at('data', 'away'))).toEqual([])
    expect(await readForeignFolder(at('data', 'away', 'folder'))).toEqual([])
    expect(await filesBelow(at('data'))).toEqual(['folder/file 14'])
    expect(await filesBelow(at('data', 'away'))).toEqual([])
  })

  it('a link of that user leads nowhere in a folder of this one either', () => {
    symlinkSync('secret', at('theirs'))
    lchownSync(at('theirs'), uid, uid)
    expect(readForeignFile(at('theirs', 'folder', 'file'))).toBeUndefined()
  })

  it('a hard link to a file of another user does not count', async () => {
    linkSync(at('secret', 'folder', 'file'), at('data', 'hard'))
    expect(readForeignFile(at('data', 'hard'), uid)).toBeUndefined()
    expect(await openForeign(at('data', 'hard'), uid)).toBeUndefined()
    chownSync(at('secret', 'folder', 'file'), uid, uid)
    expect(readForeignFile(at('data', 'hard'), uid)).toBe('secret')
  })
})
