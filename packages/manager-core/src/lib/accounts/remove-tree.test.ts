import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { writeAccount } from './account.js'
import { removeHome, removeTree, removeTreeSync } from './remove-tree.js'

const uid = 54_321
let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'steward-remove-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(base, { recursive: true, force: true })
})

/** Notes each call, and fails for paths that end so. */
function fakeRm(failing = '/none'): void {
  const folder = join(base, 'bin')
  mkdirSync(folder, { recursive: true })
  const script = `#!/bin/sh\necho "$3" >>${base}/calls\ncase "$3" in *${failing}) exit 1;; esac\nexec /bin/rm "$@"\n`
  writeFileSync(join(folder, 'rm'), script, { mode: 0o755 })
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
}

it.each([
  ['removeTree()', removeTree],
  ['removeTreeSync()', async (path: string) => removeTreeSync(path)],
] as const)(
  '%s removes files, folders and links, not what these lead to, and nothing where there is none',
  async (_, remove) => {
    mkdirSync(join(base, 'kept'))
    writeFileSync(join(base, 'kept', 'file'), '')
    mkdirSync(join(base, 'folder', 'sub'), { recursive: true })
    symlinkSync('../kept', join(base, 'folder', 'link'))
    symlinkSync('kept', join(base, 'link'))
    for (const name of ['folder', 'link', 'missing']) await remove(join(base, name))
    expect(readdirSync(base)).toEqual(['kept'])
    expect(readdirSync(join(base, 'kept'))).toEqual(['file'])
  },
)

describe.runIf(process.getuid?.() === 0)('with an account', () => {
  const home = () => join(base, 'home')
  beforeEach(async () => {
    mkdirSync(join(home(), 'data'), { recursive: true })
    mkdirSync(join(home(), 'logs'))
    writeFileSync(join(home(), 'trash.json'), '')
    for (const name of ['data', 'logs']) chownSync(join(home(), name), uid, uid)
    await writeAccount(home(), { name: 'demo', uid, gid: uid })
  })

  it('folders of another user are removed by the program, also when the caller does not say whose they are', async () => {
    fakeRm()
    await removeTree(join(home(), 'data'))
    removeTreeSync(home())
    expect(existsSync(home())).toBe(false)
    expect(readdirSync(base)).toContain('calls')
  })

  it('ends, though processes of the account have its folders open, and add and move without end', async () => {
    const folders = ['one', 'two', 'three'].map((name) => join(home(), 'data', name))
    for (const each of folders) mkdirSync(each)
    for (const each of folders) chownSync(each, uid, uid)
    const [add, move] = [
      'i=0; while :; do i=$((i+1)); mkdir -p "x$i/y" && touch "x$i/y/z"; done',
      'while :; do mkdir -p ../one/m; mv ../one/m ../two/m; mv ../two/m ../one/m; done',
    ]
    const running = [add, add, add, move].map((script, at) =>
      spawn('setpriv', [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', 'sh', '-c', `${script} 2>/dev/null`], {
        cwd: folders[at % folders.length],
        stdio: 'ignore',
      }),
    )
    onTestFinished(() => {
      for (const child of running) child.kill('SIGKILL')
    })
    await expect.poll(() => folders.every((each) => readdirSync(each).length > 5)).toBe(true)
    await removeHome(home())
    expect(existsSync(home())).toBe(false)
    expect(running.map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual([null, null, null, null])
  })

  it('removeHome() keeps what says whose it is until its folders are gone', async () => {
    fakeRm('/data')
    await expect(removeHome(home())).rejects.toThrow('rm failed')
    expect(readdirSync(home())).toEqual(expect.arrayContaining(['account', 'data', 'trash.json']))
    // In the trash it may be without the name of its account.
    rmSync(join(home(), 'account'))
    await expect(removeHome(home())).rejects.toThrow('rm failed')
    expect(readdirSync(home())).toEqual(expect.arrayContaining(['data', 'trash.json']))
    vi.unstubAllEnvs()
    await removeHome(home())
    expect(existsSync(home())).toBe(false)
  })
})
