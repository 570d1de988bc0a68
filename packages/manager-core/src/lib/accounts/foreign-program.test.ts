import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { statOf } from '../system/process-table.js'
import { leavesChild } from '../testing/leaves-child.js'
import { runForeignProgram, type ForeignCall } from './foreign-program.js'

const run = (script: string, more: Partial<ForeignCall> = {}) =>
  runForeignProgram({
    program: '/bin/sh',
    args: ['-c', script],
    environment: { PATH: process.env['PATH'] },
    limitMs: 600_000,
    longest: 1_000_000,
    ...more,
  })

it('gives what a program printed, and how it ended', async () => {
  expect(await run('echo out; echo; echo err >&2; exit 3')).toEqual({
    stdout: 'out\n',
    stderr: 'err\n',
    code: 3,
    signal: undefined,
  })
  expect(await run('kill -TERM $$')).toMatchObject({ code: undefined, signal: 'SIGTERM' })
  const { error } = await run('', { program: '/nowhere/program' })
  expect(error).toMatchObject({ code: 'ENOENT' })
  expect((await run('', { args: ['\0'] })).error).toBeInstanceOf(Error)
})

it('does not wait for a child that keeps the outputs of a program', async () => {
  const child = leavesChild()
  const end = await run(`echo said; ${child.script}`)
  expect(end).toMatchObject({ stdout: 'said', code: 0 })
  expect(child.lives()).toBe(true)
})

it('ends a program that runs too long, also one that is stopped', async () => {
  expect(await run('exec sleep 600', { limitMs: 50 })).toMatchObject({
    ended: 'late',
    code: undefined,
    signal: 'SIGKILL',
  })
  expect(await run('kill -STOP $$', { limitMs: 50, graceMs: 50 })).toMatchObject({ ended: 'late', signal: 'SIGKILL' })
})

it('lets a program clean up before it is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-foreign-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'cleaned')
  const controller = new AbortController()
  const running = run(`trap "touch '${file}'; exit 1" TERM; echo ready; while :; do sleep 0.05; done`, {
    graceMs: 600_000,
    signal: controller.signal,
    isEnough: (line) => {
      if (line === 'ready') controller.abort()
      return false
    },
  })
  expect(await running).toMatchObject({ ended: 'cancelled', code: undefined })
  expect(existsSync(file)).toBe(true)
  expect(await run('exit 0', { signal: controller.signal })).toMatchObject({ ended: 'cancelled' })
})

it('ends a program that prints more than it may, and one that has said enough', async () => {
  const long = await run('exec yes', { longest: 1000 })
  expect(long).toMatchObject({ ended: 'long', code: undefined })
  expect(long.stdout.length).toBeLessThan(1_000_000)
  const lines: string[] = []
  const isEnough = (line: string) => lines.push(line) === 2
  expect(await run('printf on; printf "e\\ntwo\\n"; exec sleep 600', { isEnough })).toMatchObject({ ended: 'enough' })
  expect(lines).toEqual(['one', 'two'])
})

it('ends a program with the process that runs it', async () => {
  const script = `import { runForeignProgram } from ${JSON.stringify(new URL('foreign-program.ts', import.meta.url))}
const args = ['-c', 'echo $$; exec sleep 600']
const isEnough = (line) => process.stdout.write(line, () => process.exit()) && false
void runForeignProgram({ program: '/bin/sh', args, environment: {}, limitMs: 600_000, longest: 1000, isEnough })`
  const options = ['--import', new URL('../testing/typescript.mjs', import.meta.url).href, '--input-type=module']
  const { stdout } = spawnSync(process.execPath, [...options, '-e', script], { encoding: 'utf8' })
  expect(Number(stdout)).toBeGreaterThan(0)
  await expect.poll(() => statOf(Number(stdout))).toBeUndefined()
})
