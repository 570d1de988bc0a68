import { execFileSync } from 'node:child_process'
import { chmodSync, lchownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, afterEach, describe, expect, it, vi } from 'vitest'
import { folderSize } from '../files/folder-size.js'
import { visitTree, type VisitTreeOptions } from './visit-tree.js'

const isRoot = process.getuid?.() === 0
/** An account that is on no machine. */
const uid = 54_321

describe('visitTree()', () => {
  let folder: string
  const at = (...parts: readonly string[]) => join(folder, ...parts)
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'steward-tree-'))
    chmodSync(folder, 0o755)
    mkdirSync(at('data', 'inner'), { recursive: true })
    writeFileSync(at('data', 'inner', 'file'), '12345')
  })
  afterEach(() => {
    vi.restoreAllMocks()
    rmSync(folder, { recursive: true })
  })

  const visit = async (options: Partial<VisitTreeOptions> = {}) => {
    const paths: string[] = []
    const survey = await visitTree(
      { folder, entries: ['app', 'data'], ...options },
      ({ path }) => void paths.push(path),
    )
    return { ...survey, paths }
  }

  it('takes links that lead about in the folder, and refuses those that may lead out, wherever they are', async () => {
    for (const [target, leads] of [
      ['file', 'in'],
      ['../../app/other', 'in'],
      ['missing', 'in'],
      ['/etc', 'out'],
      ['../../../beside', 'out'],
      // Where a link is in the way, it leads elsewhere.
      ['folder/../../../..', 'out'],
      [at('data', 'inner', 'file'), 'out'],
    ] as const) {
      symlinkSync(target, at('data', 'inner', 'link'))
      const visited = visit().then(
        ({ paths }) => (paths.includes('data/inner/link') ? 'in' : 'lost'),
        ({ message }: Error) => (message.includes(`it is a link that leads out, to ${target}`) ? 'out' : message),
      )
      expect([target, await visited]).toEqual([target, leads])
      rmSync(at('data', 'inner', 'link'))
    }
    symlinkSync('data', at('app'))
    await expect(visit()).rejects.toThrow('it is not a folder')
    rmSync(at('app'))
  })

  it('counts what it takes, and leaves out the given paths, with all in them', async () => {
    writeFileSync(at('data', 'other'), '1')
    expect(await visit()).toMatchObject({ bytes: 6, paths: ['data/inner', 'data/inner/file', 'data/other'] })
    expect(await visit({ without: ['data/inner'] })).toMatchObject({ bytes: 1, paths: ['data/other'], leftOut: [] })
    expect(await visit({ only: ['data/inner'] })).toMatchObject({ bytes: 5 })
    expect(await folderSize(folder)).toBe(6)
  })

  it('names ten of many pipes, and refuses more than fit into a command line', async () => {
    const make = (from: number, to: number) =>
      execFileSync('sh', [
        '-c',
        'cd "$0" && seq -f p%04.0f "$1" "$2" | xargs mkfifo',
        at('data', 'inner'),
        `${from}`,
        `${to}`,
      ])
    make(1, 12)
    const { warnings, leftOut } = await visit()
    expect([warnings.length, warnings.at(-1), leftOut.length]).toEqual([11, 'So were 2 others like these.', 12])
    make(13, 1001)
    await expect(visit()).rejects.toThrow('more than 1000 named pipes, sockets and devices')
  })

  it('refuses what would run with the rights of its owner, and keeps the group of what comes into a folder', async () => {
    chmodSync(at('data', 'inner'), 0o2770)
    await visit()
    chmodSync(at('data', 'inner', 'file'), 0o4755)
    await expect(visit()).rejects.toThrow(`${at('data', 'inner', 'file')} cannot be backed up or copied: it runs with`)
  })

  it.runIf(isRoot)('says whose is what an account cannot read, and how it is given back', async () => {
    const reader = { name: 'steward-demo', uid, gid: uid }
    for (const path of [at('data'), at('data', 'inner')]) lchownSync(path, uid, uid)
    expect((await visit({ reader })).closed).toBeUndefined()
    chmodSync(at('data', 'inner', 'file'), 0o600)
    const { closed } = await visit({ reader })
    expect(closed).toMatchObject({
      message: expect.stringContaining('it belongs to user 0, has the mode 600, and cannot be read by steward-demo'),
      help: `As root, give it back: chown -hR steward-demo: ${at('data', 'inner', 'file')}`,
    })
    // Where the file system keeps what it finds again.
    mkdirSync(at('data', 'lost+found'), { mode: 0o700 })
    expect(await visit({ reader })).toMatchObject({ leftOut: ['data/lost+found'], warnings: [] })
    lchownSync(at('data', 'lost+found'), uid, uid)
    expect(await visit({ reader })).toMatchObject({ leftOut: [] })
  })

  it.runIf(isRoot)('does the same for a user who is not root', async () => {
    mkdirSync(at('data', 'lost+found'), { mode: 0o700 })
    mkdirSync(at('data', 'secret'), { mode: 0o700 })
    vi.spyOn(process, 'getuid').mockReturnValue(uid)
    process.seteuid?.(uid)
    try {
      await expect(visit()).rejects.toThrow(
        `${at('data', 'secret')} cannot be backed up or copied: it belongs to user 0`,
      )
      expect(await visit({ without: ['data/secret'] })).toMatchObject({ bytes: 5, leftOut: ['data/lost+found'] })
      expect(await folderSize(folder)).toBe(5)
    } finally {
      process.seteuid?.(0)
    }
  })
})
