import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { identify, stateOf, type ProcessIdentity } from './process-identity.js'
import { threadStates } from './process-table.js'

const children: ChildProcess[] = []

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
})

async function start(program: string, ...args: string[]): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  await once(child, 'spawn')
  return child
}

describe.runIf(process.platform === 'linux')('identity of a process', () => {
  it('is the same as long as it lives, and dead afterwards', async () => {
    const child = await start('sleep', '60')
    const identity = identify(child.pid as number) as ProcessIdentity
    expect(identity).toEqual({
      pid: child.pid,
      start: expect.stringMatching(/^\d+$/),
      boot: expect.stringMatching(/-/),
    })
    expect(stateOf(identity)).toBe('alive')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(stateOf(identity)).toBe('dead')
    expect(identify(child.pid as number)).toBeUndefined()
  })

  it('is that of another process when the pid was reused, or the machine was started again', async () => {
    const child = await start('sleep', '60')
    const identity = identify(child.pid as number) as ProcessIdentity
    expect(stateOf({ ...identity, start: String(Number(identity.start) - 1) })).toBe('dead')
    expect(stateOf({ ...identity, boot: '00000000-0000-0000-0000-000000000000' })).toBe('dead')
    expect(stateOf({ pid: identity.pid, start: '', boot: '' })).toBe('unknown')
  })

  it('is read also of a program with spaces and parentheses in its name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-identity-'))
    try {
      const program = join(folder, 'a) Z 1 (b')
      copyFileSync('/bin/sleep', program)
      const child = await start(program, '60')
      const identity = identify(child.pid as number) as ProcessIdentity
      const start1 = Number(identity.start)
      expect(start1).toBeGreaterThanOrEqual(Number(identify(process.pid)?.start))
      expect(stateOf(identity)).toBe('alive')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('is none of one that has ended and waits for its parent', async () => {
    const parent = await start('sh', '-c', 'sleep 0.3 & echo $!; exec sleep 60')
    const [text] = (await once(parent.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
    const pid = Number(text.toString())
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')).toBe(true)
    expect(identify(pid)).toBeUndefined()
  })

  it('is that of one whose first thread has ended while another one lives', async () => {
    const exit = process.arch === 'arm64' ? 93 : 60
    const child = await start('perl', '-Mthreads', '-e', `threads->create(sub { sleep 600 }); syscall(${exit}, 0)`)
    const pid = child.pid as number
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')).toBe(true)
    expect(stateOf(identify(pid) as ProcessIdentity)).toBe('alive')
    expect(threadStates(pid)).toEqual(['S'])
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(identify(pid)).toBeUndefined()
  })
})
