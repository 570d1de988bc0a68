/** @module-tag mixed */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { fakeApplicationServer } from '../testing/fake-application.js'
import { bundledManager, crashAction } from '../testing/bundled-manager.js'
import { canMount, mountMemory, unmount } from '../testing/small-disk.js'
import { writeHook } from '../testing/write-hook.js'

describe('a save that cannot end well', () => {
  const path = process.env.PATH as string
  let test: TestManager
  let programs: string
  beforeAll(async () => {
    test = await createTestManager()
    programs = join(test.folder, 'programs')
    await test.perform('add', { name: 'demo' })
    writeFileSync(test.path('demo', 'data', 'random'), randomBytes(300_000))
    await test.perform('save', { name: 'demo' })
  })
  afterAll(() => test.close())
  afterEach(() => {
    process.env.PATH = path
    rmSync(programs, { recursive: true, force: true })
    rmSync(join(test.home, 'hooks'), { recursive: true, force: true })
  })

  const saved = () => readdirSync(join(test.home, 'save', 'demo'))

  /** A program that comes before the real one. */
  function writeProgram(name: string, script: string): void {
    mkdirSync(programs, { recursive: true })
    const real = execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8', env: { PATH: path } }).trim()
    const isVersion = `case "$1" in --version) exec ${real} --version;; esac`
    writeFileSync(join(programs, name), `#!/bin/sh\n${isVersion}\n${script.replaceAll('REAL', real)}\n`)
    chmodSync(join(programs, name), 0o755)
  }

  async function failsAndLeavesNothing(expected: object): Promise<void> {
    const before = saved()
    await expect(test.perform('save', { name: 'demo' })).rejects.toMatchObject(expected)
    expect(saved()).toEqual(before)
    expect(
      (
        await test.context.runtimes
          .named('process')
          .observe({ id: test.instance('demo').id, folder: test.path('demo') })
      ).state,
    ).toBe('started')
  }

  it('is not a backup when tar could not read a file, although its output ended well', { tags: 'core' }, async () => {
    writeProgram('tar', 'REAL "$@"; echo "tar: data/random: Cannot open: Permission denied" >&2; exit 2')
    process.env.PATH = `${programs}:${path}`
    await failsAndLeavesNothing({ code: 'ERR_ROLLED_BACK', message: expect.stringContaining('Permission denied') })
  })

  it('is not a backup when the compressor fails in the middle or says so in the end', { tags: 'core' }, async () => {
    writeProgram('zstd', 'case "$*" in *-d*) exec REAL "$@";; esac; head -c 2000 | REAL -q -c; exit 1')
    process.env.PATH = `${programs}:${path}`
    await failsAndLeavesNothing({ code: 'ERR_ROLLED_BACK' })
    writeProgram('zstd', 'case "$*" in *-d*) exec REAL "$@";; esac; REAL "$@"; echo broken >&2; exit 1')
    await failsAndLeavesNothing({ code: 'ERR_ROLLED_BACK', message: expect.stringContaining('broken') })
  })

  it.each([
    ['what was written is not what is read back', '*-d*) REAL "$@" | tr a b;; *) exec REAL "$@"'],
    ['what is on the disk is not what was written', '*-d*) exec REAL "$@";; *) REAL "$@" | tr \'\\377\' x'],
    ['only a part was compressed', '*-d*) exec REAL "$@";; *) head -c 4096 | REAL "$@"; cat >/dev/null'],
  ])('is not a backup when %s', { tags: 'core' }, async (_what, cases) => {
    writeProgram('zstd', `case "$*" in ${cases};; esac`)
    process.env.PATH = `${programs}:${path}`
    await failsAndLeavesNothing({ message: expect.stringContaining('is damaged') })
  })

  it('names what cannot be restored: links that lead out, pipes', async () => {
    symlinkSync('/etc', test.path('demo', 'data', 'outside'))
    await failsAndLeavesNothing({ message: expect.stringContaining('data/outside') })
    rmSync(test.path('demo', 'data', 'outside'))
  })

  it('is not started when the hook before it fails; a failing hook after it is a warning', async () => {
    writeHook(test.home, 'pre-save', 'echo "not now"; exit 3')
    await failsAndLeavesNothing({ output: expect.stringContaining('not now') })
    writeHook(test.home, 'pre-save', 'exit 0')
    writeHook(test.home, 'post-save', 'echo "too late"; exit 3')
    const { warnings, item } = await test.perform('save', { name: 'demo' })
    expect(warnings).toEqual([expect.stringContaining('too late')])
    expect(saved()).toContain((item as { backup: string }).backup)
  })

  it('keeps others from deleting the instance meanwhile', async () => {
    const go = join(test.folder, 'go')
    writeHook(test.home, 'pre-save', `until [ -e ${go} ]; do sleep 0.05; done`)
    const saving = test.perform('save', { name: 'demo' })
    await expect.poll(() => test.context.locks.holder(`instance:${test.instance('demo').id}`)).toContain('save')
    await expect(test.perform('delete', { name: 'demo' })).rejects.toMatchObject({
      code: 'ERR_BUSY',
      message: expect.stringContaining('save'),
    })
    writeFileSync(go, '')
    await saving
  })

  it('continues with the instance when it is killed while the instance is frozen', async () => {
    const before = saved()
    const { runtimes, operations } = test.context
    const runtime = runtimes.named('process')
    const ref = { id: test.instance('demo').id, folder: test.path('demo') }
    const { pids } = await runtime.observe(ref)
    // A look afterwards can be late: what it left frozen continues within a second.
    const states = join(test.folder, 'states')
    const look = pids.map((pid) => `cat /proc/${pid}/stat`).join('; ')
    writeProgram('zstd', `head -c 1 >/dev/null; { ${look}; } >>${states}; kill -9 $PPID`)
    const run = { home: test.home, applicationServer: fakeApplicationServer, defaultTemplate: test.template }
    const crash = { ...run, action: 'save', input: { name: 'demo' } }
    const { program } = await bundledManager()
    expect(await crashAction(program, crash, { PATH: `${programs}:${path}` })).toBeUndefined()
    // A second compressor may look after the first one killed it.
    const first = readFileSync(states, 'utf8').split('\n').slice(0, pids.length)
    expect(first.map((stat) => /\) (.) /.exec(stat)?.[1])).toEqual(pids.map(() => 'T'))
    expect(await operations.recover(test.caller)).toMatchObject([{ kind: 'save', state: 'rolled_back' }])
    expect((await runtime.observe(ref)).state).toBe('started')
    const response = await fetch(`http://127.0.0.1:${test.instance('demo').port}/ping`)
    expect(response.status).toBe(200)
    expect(saved()).toEqual(before)
    await test.perform('save', { name: 'demo' })
  })

  it('says that the disk is full, before or while it is', async (context) => {
    if (!canMount()) return context.skip('a small disk can only be mounted by root')
    const disk = join(test.folder, 'disk')
    mkdirSync(disk)
    mountMemory(disk, '24m')
    try {
      const config = [`export APPS_SAVE_DIR=${disk}`]
      const other = await createTestManager({ config })
      try {
        await other.perform('add', { name: 'demo', 'no-start': true })
        await other.perform('save', { name: 'demo' })
        const before = readdirSync(join(disk, 'demo'))
        const random = other.path('demo', 'data', 'random')
        // What the last save took is expected again, so it is found out while it is written.
        writeFileSync(random, randomBytes(30_000_000))
        await expect(other.perform('save', { name: 'demo' })).rejects.toThrow('the disk is full')
        expect(readdirSync(join(disk, 'demo'))).toEqual(before)
        rmSync(random)
        await other.perform('add', { name: 'demo2', 'no-start': true })
        const large = other.path('demo2', 'data', 'large')
        writeFileSync(large, Buffer.alloc(100_000_000))
        await expect(other.perform('save', { name: 'demo2' })).rejects.toThrow(/Not enough disk space .* free/)
        expect(existsSync(join(disk, 'demo2'))).toBe(false)
        rmSync(large)
        await other.perform('save', { name: 'demo2' })
      } finally {
        await other.close()
      }
    } finally {
      unmount(disk)
    }
  })
})
