import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLocks, type Locks } from './locks.js'

let folder: string
let locks: Locks

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'steward-locks-')), 'locks')
  locks = createLocks(folder)
})

afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }))

/** In another process. */
async function hold(key: string) {
  const [loader, program] = ['typescript.mjs', 'hold-lock.ts'].map((name) =>
    fileURLToPath(new URL(`../testing/${name}`, import.meta.url)),
  ) as [string, string]
  const child = spawn(process.execPath, ['--import', loader, program, folder, key], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [text] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    pid: child.pid as number,
    child: Number(text.toString()),
    async kill() {
      const closed = once(child, 'exit')
      child.kill('SIGKILL')
      await closed
    },
  }
}

const wait = <T>(keys: readonly string[], waitMs: number, work: () => Promise<T>) =>
  locks.with(keys, { purpose: 'test', waitMs }, work)

describe('tryAcquire()', () => {
  it('takes all keys or none, and gives them back', () => {
    const one = locks.tryAcquire(['b'], 'first')
    expect(locks.tryAcquire(['a', 'b'], 'second')).toBeUndefined()
    const free = locks.tryAcquire(['a'], 'third')
    expect(free).toBeDefined()
    one?.release()
    free?.release()
    expect(locks.tryAcquire(['a', 'b', 'a'], 'second')).toBeDefined()
  })

  it('holds them until they are released, also when what it returned is dropped', async () => {
    expect(locks.tryAcquire(['a'], 'first')).toBeDefined()
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    for (let round = 0; round < 3; round++) {
      // What was returned is not on the stack any more.
      await new Promise((resolve) => setImmediate(resolve))
      collect()
    }
    expect(locks.tryAcquire(['a'], 'second')).toBeUndefined()
  })

  it('is refused in the process that holds it, too', () => {
    const lock = locks.tryAcquire(['a'], 'first')
    expect(locks.tryAcquire(['a'], 'second')).toBeUndefined()
    expect(createLocks(folder).tryAcquire(['a'], 'third')).toBeUndefined()
    lock?.release()
    lock?.release()
    expect(createLocks(folder).tryAcquire(['a'], 'third')).toBeDefined()
  })

  it.each([
    'name:demo',
    '../../outside',
    '.',
    '..',
    'a/b\\c:d*?"<>|',
    'a b\nc\0d',
    'ä'.repeat(300),
    'x'.repeat(300),
    '\ud800',
    '',
  ])('takes the key %j, and no other with it', (key) => {
    const lock = locks.tryAcquire([key], 'first')
    expect(locks.tryAcquire([key], 'second')).toBeUndefined()
    expect(locks.tryAcquire([`${key}y`], 'second')).toBeDefined()
    expect(locks.holder(key)).toBe('first')
    lock?.release()
    expect(readdirSync(join(folder, '..'))).toEqual(['locks'])
  })

  it('works when its holder cannot be recorded', () => {
    mkdirSync(join(folder, 'a.holder'), { recursive: true })
    const lock = locks.tryAcquire(['a'], 'first')
    expect(lock).toBeDefined()
    expect(locks.holder('a')).toBeUndefined()
    lock?.release()
  })

  it('says so when its file was overwritten, or its folder cannot be made', () => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'a'), 'no lock at all'.repeat(100))
    expect(() => locks.tryAcquire(['a'], 'first')).toThrow(expect.objectContaining({ code: 'ERR_FAILED' }))
    expect(() => createLocks(join(folder, 'a', 'b')).tryAcquire(['c'], 'first')).toThrow(
      expect.objectContaining({ code: 'ERR_FAILED', message: expect.stringContaining(folder) }),
    )
  })
})

describe('a lock of another process', () => {
  it('is refused naming its holder, and free when that is killed, although a child of it lives on', async () => {
    const other = await hold('name:demo')
    await expect(wait(['name:demo'], 0, async () => undefined)).rejects.toMatchObject({
      code: 'ERR_BUSY',
      message: `Busy: the name "demo" is in use by hold-lock, process ${other.pid}.`,
    })
    await other.kill()
    expect(locks.holder('name:demo')).toContain(String(other.pid))
    expect(process.kill(other.child, 0)).toBe(true)
    const lock = locks.tryAcquire(['name:demo'], 'me')
    process.kill(other.child, 'SIGKILL')
    expect(lock).toBeDefined()
    expect(locks.holder('name:demo')).toBe('me')
    lock?.release()
    expect(locks.holder('name:demo')).toBeUndefined()
    expect(statSync(join(folder, 'name%3Ademo')).size).toBe(0)
  })

  it('is waited for, and the waiting caller learns for whom', async () => {
    const other = await hold('a')
    const told: string[] = []
    const waiting = locks.with(
      ['a'],
      {
        purpose: 'test',
        waitMs: Infinity,
        onWait(key, holder) {
          told.push(`${key}: ${holder}`)
          void other.kill()
        },
      },
      async () => 'done',
    )
    expect(await waiting).toBe('done')
    process.kill(other.child, 'SIGKILL')
    expect(told).toEqual([`a: hold-lock, process ${other.pid}`])
  })
})

describe('with()', () => {
  it('gives the locks back when the work fails', async () => {
    await expect(wait(['a', 'b'], 0, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await wait(['b', 'a'], 0, async () => 1)).toBe(1)
  })

  it('gives back what it took when it must not wait longer', async () => {
    const lock = locks.tryAcquire(['b'], 'first')
    await expect(wait(['a', 'b'], 60, async () => undefined)).rejects.toMatchObject({ code: 'ERR_BUSY' })
    expect(locks.tryAcquire(['a'], 'second')).toBeDefined()
    lock?.release()
  })

  it('runs one after the other, without a deadlock whatever the order of the keys', async () => {
    let inside = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++inside)
      await new Promise((resolve) => setImmediate(resolve))
      inside--
    }
    await Promise.all([
      ...Array.from({ length: 5 }, () => wait(['a', 'b'], Infinity, work)),
      ...Array.from({ length: 5 }, () => wait(['b', 'a'], Infinity, work)),
    ])
    expect(most).toBe(1)
  })
})
