import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { leavesChild } from '../testing/leaves-child.js'
import { runChain, type Command } from './program.js'

const sh = (script: string): Command => ({ command: '/bin/sh', args: ['-c', script] })
const cat: Command = { command: 'cat', args: [] }

it('does not wait for a child that keeps the pipe to the next program', async () => {
  const child = leavesChild()
  await expect(runChain([sh(child.script), cat], {})).resolves.toMatchObject({ codes: { sh: 0, cat: 0 } })
  expect(child.lives()).toBe(true)
})

it('passes on all that a program wrote before its end', async () => {
  const slow = sh('sleep 0.1; test $(wc -c) = 100000')
  await expect(runChain([sh('head -c 100000 /dev/zero'), slow], {})).resolves.toBeDefined()
})

it('reads no errors after the end of a program, whose children could write them without end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-program-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [keep, closed] = [join(folder, 'keep'), join(folder, 'closed')]
  const writes = `trap "" PIPE; : > "${keep}"; while [ -e "${keep}" ] && echo >&2; do sleep 0.05; done 2>&2; : > "${closed}"`
  await runChain([sh(`setsid /bin/sh -c '${writes}' & while ! [ -e "${keep}" ]; do sleep 0.01; done`)], {})
  await expect.poll(() => existsSync(closed)).toBe(true)
})

it('keeps the end of an error that has no line break', async () => {
  const failing = runChain([sh('head -c 1000000 /dev/zero | tr "\\0" x >&2; printf end >&2; exit 1')], {})
  const { message } = await failing.then(Promise.reject, (error: unknown) => error as Error)
  expect(message).toMatch(/xend$/)
  expect(message.length).toBeLessThan(100_000)
})
