import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { problemsOf } from '../scripts/check-lockfile.mjs'
import { locked } from '../scripts/lock.mjs'
import { hasNode, installArguments, isInStep, unlinkedWorkspaces } from '../scripts/ready.mjs'

const lockScript = new URL('../scripts/lock.mjs', import.meta.url).href
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-ready-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('isInStep()', () => {
  const wanted = {
    '': { name: 'root' },
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/@steward/b': { resolved: 'packages/b', link: true },
    'packages/b': { version: '0.0.0' },
    'packages/b/node_modules/c': { version: '3.0.0', integrity: 'sha512-c' },
    'node_modules/other-system': { version: '1.0.0', integrity: 'sha512-o', optional: true },
  }
  const { 'node_modules/other-system': _, ...installed } = wanted

  function write(have: object | string | undefined): void {
    mkdirSync(join(folder, 'node_modules', '@steward', 'b'), { recursive: true })
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: wanted }))
    if (have === undefined) return
    const text = typeof have === 'string' ? have : JSON.stringify({ packages: have })
    writeFileSync(join(folder, 'node_modules', '.package-lock.json'), text)
  }

  it('is true when all but optional packages are there', () => {
    write(installed)
    expect(isInStep(folder)).toBe(true)
  })

  it.each([
    ['nothing is installed', undefined],
    ["npm's file is cut off", '{"packages": {"node_mod'],
    ['a version differs', { ...installed, 'node_modules/a': { version: '0.9.0', integrity: 'sha512-a' } }],
    ['an integrity differs', { ...installed, 'node_modules/a': { version: '1.0.0', integrity: 'sha512-x' } }],
    ['a nested package is missing', { ...installed, 'packages/b/node_modules/c': undefined }],
    ['a workspace is not linked', { ...installed, 'node_modules/@steward/b': undefined }],
  ])('is false when %s', (_case, have) => {
    write(have)
    expect(isInStep(folder)).toBe(false)
  })

  it("is false when a workspace's link is gone", () => {
    write(installed)
    rmSync(join(folder, 'node_modules', '@steward'), { recursive: true })
    expect(isInStep(folder)).toBe(false)
  })
})

describe('installArguments()', () => {
  it('uses npm ci, except on Windows over an existing installation', () => {
    expect(installArguments('linux', true)[0]).toBe('ci')
    expect(installArguments('win32', false)[0]).toBe('ci')
    expect(installArguments('win32', true)[0]).toBe('install')
  })
})

describe('unlinkedWorkspaces()', () => {
  it('names packages whose programs npm has not linked, as they were not built when it installed', () => {
    const packages = { one: { name: '@x/one', bin: { first: './a.js', second: './b.js' } }, two: { name: '@x/two' } }
    for (const [name, manifest] of Object.entries(packages)) {
      mkdirSync(join(folder, 'packages', name), { recursive: true })
      writeFileSync(join(folder, 'packages', name, 'package.json'), JSON.stringify(manifest))
    }
    mkdirSync(join(folder, 'packages', 'left-over'))
    mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true })
    writeFileSync(join(folder, 'node_modules', '.bin', 'first'), '')
    expect(unlinkedWorkspaces(folder)).toEqual(['@x/one'])
    writeFileSync(join(folder, 'node_modules', '.bin', 'second'), '')
    expect(unlinkedWorkspaces(folder)).toEqual([])
  })
})

describe('hasNode()', () => {
  it('wants Node 22.18, or one that was installed with the packages', () => {
    expect(hasNode('20.19.1', false)).toBe(false)
    expect(hasNode('22.17.0', false)).toBe(false)
    expect(hasNode('22.18.0', false)).toBe(true)
    expect(hasNode('26.0.0', false)).toBe(true)
    expect(hasNode('20.19.1', true)).toBe(true)
  })
})

describe('locked()', () => {
  /** Starts a process that takes the lock, says so, and keeps it until it is killed. */
  async function holdElsewhere(lock: string, child = ''): Promise<ReturnType<typeof spawn>> {
    const code = `
      const { locked } = await import(${JSON.stringify(lockScript)})
      const { spawn } = await import('node:child_process')
      await locked(${JSON.stringify(lock)}, async (holdFor) => {
        ${child}
        console.log('locked')
        await new Promise((resolve) => setTimeout(resolve, 60_000))
      })`
    const holder = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(holder.stdout, 'data')
    return holder
  }

  it('lets one run at a time, and leaves nothing behind', async () => {
    const lock = join(folder, 'deep', 'lock')
    let running = 0
    const work = async () => {
      expect(++running).toBe(1)
      await sleep(5)
      running--
    }
    await Promise.all(Array.from({ length: 8 }, () => locked(lock, work, { pollMs: 1 })))
    expect(readdirSync(join(folder, 'deep'))).toEqual([])
  })

  it('is released when the work fails', async () => {
    const lock = join(folder, 'lock')
    await expect(locked(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await locked(lock, async () => 'yes')).toBe('yes')
  })

  it('waits for another process and takes over its lock when it was killed', async () => {
    const lock = join(folder, 'lock')
    const holder = await holdElsewhere(lock)
    let waitedFor: number | undefined
    const onWait = (pid: number) => {
      waitedFor = pid
      holder.kill('SIGKILL')
    }
    expect(await locked(lock, async () => 'mine', { onWait, pollMs: 1 })).toBe('mine')
    expect(waitedFor).toBe(holder.pid)
  })

  it('waits for a child process whose parent was killed', async () => {
    const lock = join(folder, 'lock')
    const holder = await holdElsewhere(lock, "holdFor(spawn('sleep', ['0.5'], { stdio: 'ignore' }).pid)")
    const exited = once(holder, 'exit')
    holder.kill('SIGKILL')
    await exited
    const waitedFor: number[] = []
    await locked(lock, async () => {}, { onWait: (pid) => waitedFor.push(pid), pollMs: 1 })
    expect(waitedFor).toEqual([expect.any(Number)])
    expect(waitedFor).not.toEqual([holder.pid])
  })

  it.runIf(process.platform === 'linux')('is stale when its process id belongs to a later process', async () => {
    const lock = join(folder, 'lock')
    mkdirSync(lock)
    const processes = [{ pid: process.pid, started: 'another time' }]
    writeFileSync(join(lock, 'owner.json'), JSON.stringify({ token: 'old', processes }))
    expect(await locked(lock, async () => 'mine')).toBe('mine')
  })

  it('replaces a lock that cannot be read', async () => {
    const lock = join(folder, 'lock')
    mkdirSync(lock)
    writeFileSync(join(lock, 'owner.json'), '{')
    expect(await locked(lock, async () => 'mine')).toBe('mine')
  })

  it('stops waiting at a signal', async () => {
    const lock = join(folder, 'lock')
    const waiting = new AbortController()
    await locked(lock, async () => {
      const second = locked(lock, async () => {}, { onWait: () => waiting.abort(), signal: waiting.signal })
      await expect(second).rejects.toThrow('aborted')
    })
  })
})

describe('problemsOf() a lockfile', () => {
  const lockfile = () => JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))

  it("finds none in this repository's", () => {
    expect(problemsOf(lockfile())).toEqual([])
  })

  it('finds optional packages that were left out, registry addresses and missing hashes', () => {
    const packages = {
      '': { optionalDependencies: { here: '1', gone: '1' } },
      'node_modules/here': { integrity: 'sha512-h', optionalDependencies: { nested: '1' } },
      'node_modules/here/node_modules/nested': { integrity: 'sha512-n' },
      'node_modules/from': { integrity: 'sha512-f', resolved: 'https://packages.example/from.tgz' },
      'node_modules/bare': {},
    }
    expect(problemsOf({ packages })).toEqual([
      'the root: optional "gone" is not in the lockfile',
      'node_modules/from: "resolved" names a registry',
      'node_modules/bare: no "integrity"',
    ])
  })
})
