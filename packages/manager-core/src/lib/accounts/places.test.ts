import {
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { canUseAccounts } from '../testing/reachable-checkout.js'
import { linkTo, makeFolder, moveTo, writeNewFile } from './places.js'

let folder: string
const at = (...names: string[]) => join(folder, ...names)
beforeEach(() => {
  const made = mkdtempSync(join(tmpdir(), 'steward-places-'))
  folder = made
  onTestFinished(() => rmSync(made, { recursive: true }))
})

it('makes folders with those that they are in, and again nothing', async () => {
  await makeFolder(at('one/two/three'), 0o700)
  await makeFolder(at('one/two/three'))
  expect(statSync(at('one/two/three')).mode & 0o777).toBe(0o700)
  mkdirSync(at('other'))
  symlinkSync('other', at('own-link'))
  await makeFolder(at('own-link/four'))
  await makeFolder(at('own-link'))
  expect(readdirSync(at('other'))).toEqual(['four'])
  writeFileSync(at('file'), '')
  await expect(makeFolder(at('file'))).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(makeFolder(at('file/five'))).rejects.toMatchObject({ code: 'EEXIST' })
})

it('moves, links and writes, and says what is not there', async () => {
  mkdirSync(at('from/in'), { recursive: true })
  await moveTo(at('from'), at('to'))
  expect(existsSync(at('to/in'))).toBe(true)
  await expect(moveTo(at('from'), at('to'))).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(moveTo(at('to'), at('missing/to'))).rejects.toMatchObject({ code: 'ENOENT' })
  await writeNewFile(at('to/file'), 'text')
  await expect(writeNewFile(at('to/file'), 'other')).rejects.toMatchObject({ code: 'EEXIST' })
  await linkTo(at('to/file'), at('second'))
  expect(readFileSync(at('second'), 'utf8')).toBe('text')
})

describe.runIf(canUseAccounts(import.meta.url))('a link of an account on the way', () => {
  const uid = 20_000
  /** `theirs/link` of the account leads to `victim`, which is root's. */
  beforeEach(() => {
    mkdirSync(at('victim'))
    writeFileSync(at('victim/kept'), 'kept')
    mkdirSync(at('theirs'))
    symlinkSync('../victim', at('theirs/link'))
    chownSync(at('theirs'), uid, uid)
    lchownSync(at('theirs/link'), uid, uid)
    writeFileSync(at('own'), 'own')
  })

  it.each([
    ['a folder is made', () => makeFolder(at('theirs/link/new'))],
    ['folders are made', () => makeFolder(at('theirs/link/new/below'))],
    ['a folder is made in its place', () => makeFolder(at('theirs/link'))],
    ['something is moved there', () => moveTo(at('own'), at('theirs/link/new'))],
    ['something is taken from there', () => moveTo(at('theirs/link/kept'), at('taken'))],
    ['a file is linked there', () => linkTo(at('own'), at('theirs/link/new'))],
    ['a file there gets a second name', () => linkTo(at('theirs/link/kept'), at('taken'))],
    [
      'a file is written there',
      () => writeNewFile(at('theirs/link/new'), 'text', { account: { name: 'x', uid, gid: uid } }),
    ],
    [
      'a file is written over it',
      () => writeNewFile(at('theirs/link'), 'text', { account: { name: 'x', uid, gid: uid } }),
    ],
  ])('is not followed when %s', async (_, work) => {
    await expect(work()).rejects.toMatchObject({ code: expect.stringMatching(/^(ENOENT|EEXIST)$/) })
    expect(readdirSync(at('victim'))).toEqual(['kept'])
    expect([existsSync(at('taken')), readFileSync(at('own'), 'utf8')]).toEqual([false, 'own'])
  })

  it('is not in the way of what is beside it', async () => {
    await makeFolder(at('theirs/real/below'))
    await moveTo(at('own'), at('theirs/real/below/own'))
    expect(readFileSync(at('theirs/real/below/own'), 'utf8')).toBe('own')
  })
})
