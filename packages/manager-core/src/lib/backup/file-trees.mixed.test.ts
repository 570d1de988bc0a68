/** @module-tag mixed */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeWithAccounts } from '../testing/accounts-of.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { canUseAccounts } from '../testing/reachable-checkout.js'
import { canMount, mountMemory, unmount } from '../testing/small-disk.js'
import { accountAt } from '../accounts/account.js'
import { give } from '../accounts/give.js'

const isHere = canUseAccounts(import.meta.url)
const homes = [
  ['whose instances run as the manager', 'no'],
  ...(isHere ? [['whose instances have accounts', 'yes'] as const] : []),
] as const

describe.each(homes)('files of a home %s', (_which, isolation) => {
  // With accounts there is more that can go wrong.
  const tags = isolation === homes.at(-1)?.[1] ? ['core' as const] : []
  let test: TestManager
  beforeAll(async () => {
    test = await createTestManager({ config: [`export APPS_ISOLATION=${isolation}`] })
    chmodSync(test.folder, 0o711)
    await test.perform('add', { name: 'demo', 'no-start': true })
  }, 60_000)
  afterAll(() => closeWithAccounts(test), 60_000)

  const data = (name = 'demo', ...parts: readonly string[]) => test.path(name, 'data', ...parts)
  /** Types, modes and names, whatever bytes are in them; what databases have is not compared. */
  const treeOf = (name: string) =>
    execFileSync('find', [
      data(name),
      '-mindepth',
      '1',
      '!',
      '-name',
      'database.db*',
      '-printf',
      String.raw`%y %m %P %l\0`,
    ])
      .toString('latin1')
      .split('\0')
      .filter((line) => line !== '' && !/ (?:tmp|documents|token\.key)\b/.test(line))
      .toSorted()
  const makeOwn = async (folder = data()) => {
    const account = accountAt(test.path('demo'))
    if (account) await give(folder, account)
  }

  it(
    'are saved, verified, restored and cloned with every name, and without pipes, sockets and lost+found',
    { tags },
    async () => {
      const script = String.raw`cd "$0" && umask 022 && mkdir "$(printf 'Gr\366sse')" inner && echo 1 > "$(printf 'Gr\366sse/\374.txt')" &&
      echo 2 > "$(printf 'one\ntwo')" && echo 3 > 'Größe ☃' && ln -s ../inner inner/up && ln -s "$(printf 'Gr\366sse')" away &&
      mkdir -m 2750 group && mkfifo pipe inner/pipe`
      execFileSync('sh', ['-c', script, data()])
      const server = createServer().listen(data('demo', 'socket'))
      await new Promise((resolve) => server.once('listening', resolve))
      await makeOwn()
      mkdirSync(data('demo', 'lost+found'), { mode: 0o700 })
      writeFileSync(data('demo', 'lost+found', '#12'), 'found')
      const kept = treeOf('demo').filter((line) => !/^[ps] |lost\+found/.test(line))
      expect(kept).toHaveLength(8)
      expect(kept).toContain('d 2750 group ')
      expect(kept).toContain('f 644 Gr\xf6sse/\xfc.txt ')

      const { warnings = [] } = await test.perform('save', { name: 'demo' })
      server.close()
      expect(warnings.toSorted()).toEqual([
        'data/inner/pipe was left out: it is a named pipe, not a file.',
        'data/pipe was left out: it is a named pipe, not a file.',
        'data/socket was left out: it is a socket, not a file.',
      ])
      await test.perform('backups verify', { name: 'demo', deep: true })
      const cloned = await test.perform('clone', { name: 'demo', new: 'copy', 'no-start': true })
      expect(cloned.warnings).toContain('data/pipe was left out: it is a named pipe, not a file.')
      expect(treeOf('copy')).toEqual(kept)
      await test.perform('restore', { name: 'demo', as: 'again' })
      expect(treeOf('again')).toEqual(kept)
      await test.perform('restore', { name: 'demo' })
      expect(treeOf('demo')).toEqual(kept)
      expect(readFileSync(Buffer.from(`${data()}/Gr\xf6sse/\xfc.txt`, 'latin1'), 'utf8')).toBe('1\n')
    },
  )

  it.runIf(canMount())('on a disk that is mounted are backed up and cloned, and not replaced', async () => {
    const documents = data('demo', 'my documents')
    mkdirSync(documents)
    mountMemory(documents, '1m')
    try {
      writeFileSync(join(documents, 'document'), 'of demo')
      mkdirSync(join(documents, 'lost+found'), { mode: 0o700 })
      chmodSync(documents, 0o755)
      await makeOwn(documents)
      lchownSync(join(documents, 'lost+found'), 0, 0)
      await test.perform('save', { name: 'demo' })
      await expect(test.perform('restore', { name: 'demo' })).rejects.toMatchObject({
        message: `${documents} is mounted: a restore would replace the folder that it is in.`,
        help: expect.stringContaining('--as'),
      })
      await test.perform('clone', { name: 'demo', new: 'moved', 'no-start': true })
      expect(readdirSync(data('moved', 'my documents'))).toEqual(['document'])
    } finally {
      unmount(documents)
    }
  })

  it(
    'that a link leads to are neither backed up nor cloned: nothing is shared, and nothing is left',
    { tags },
    async () => {
      const away = join(test.folder, 'disk')
      mkdirSync(join(away, 'ab'), { recursive: true })
      writeFileSync(join(away, 'ab', 'document'), 'of demo')
      chmodSync(away, 0o777)
      const before = readdirSync(join(test.home, 'instances')).toSorted()
      const refused = async (where: string) => {
        const expected = {
          message: expect.stringContaining(`${where} cannot be backed up or copied: it is a link that leads out`),
        }
        await expect(test.perform('clone', { name: 'demo', new: 'twin', 'no-start': true })).rejects.toMatchObject(
          expected,
        )
        await expect(test.perform('save', { name: 'demo' })).rejects.toMatchObject(expected)
        expect(readdirSync(join(test.home, 'instances')).toSorted()).toEqual(before)
      }
      symlinkSync(away, data('demo', 'behind'))
      await refused(data('demo', 'behind'))
      unlinkSync(data('demo', 'behind'))
      // All of it.
      renameSync(data(), join(away, 'data'))
      symlinkSync(join(away, 'data'), data())
      await refused(data())
      unlinkSync(data())
      renameSync(join(away, 'data'), data())
      expect(lstatSync(join(away, 'ab', 'document')).isFile()).toBe(true)
    },
  )
})
