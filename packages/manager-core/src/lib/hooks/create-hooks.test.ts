import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { homeAt } from '../domain/home.js'
import { createSettings } from '../settings/create-settings.js'
import { identify } from '../system/process-identity.js'
import { runProgram } from '../testing/run-program.js'
import { createTestHome } from '../testing/test-home.js'
import { createHooks } from './create-hooks.js'
import type { HookCall } from './hooks.js'

interface HookOptions {
  readonly config?: readonly string[]
  readonly mode?: number
}

/** Hooks of a home of its own, with this script as `pre-add.sh`. */
function hooksWith(script: string | undefined, { config = [], mode = 0o755 }: HookOptions = {}) {
  const folder = createTestHome(config)
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const home = homeAt(folder)
  const settings = createSettings({ home, environment: { PATH: process.env['PATH'] } })
  mkdirSync(home.hooks)
  const file = join(home.hooks, 'pre-add.sh')
  if (script !== undefined) {
    writeFileSync(file, script)
    chmodSync(file, mode)
  }
  const hooks = createHooks({ home, settings: () => settings })
  const run = (call: Partial<HookCall> = {}) =>
    hooks.run({ hook: 'pre-add', args: ['demo', '1.0'], environment: { USER: 'demo' }, input: {}, ...call })
  return { folder, file, run }
}

/** When a process that wrote its pid into a file has ended. */
async function endOf(file: string): Promise<void> {
  const pid = Number(readFileSync(file, 'utf8'))
  await expect.poll(() => identify(pid)).toBeUndefined()
}

it('does nothing when there is no hook of that name', async () => {
  const { run } = hooksWith(undefined)
  expect(await run()).toMatchObject({ ran: false, problem: undefined, output: '' })
})

it('gives a hook the arguments, the environment, and the operation on its standard input', async () => {
  const { folder, run } = hooksWith(
    `#!/bin/sh\necho "$# $1 $2"\necho "$USER $APPS_HOME $SERVICE_URL $OWN $(pwd)"\necho "pw=$APPS_PASSWORD"\ncat\necho err >&2\n`,
    { config: ['APPS_PASSWORD=s3cret', 'OWN=mine'] },
  )
  const environment = { USER: 'demo', SERVICE_URL: 'http://127.0.0.1:10000/io' }
  const { output, ...result } = await run({ environment, input: { name: 'demo', version: '1.0' } })
  expect(result).toMatchObject({ ran: true, code: 0, problem: undefined, timedOut: false })
  expect(output.split('\n')).toEqual([
    '2 demo 1.0',
    `demo ${folder} http://127.0.0.1:10000/io mine ${folder}`,
    'pw=',
    '{"name":"demo","version":"1.0"}err',
    '',
  ])
})

it('bears a hook that does not read its input', async () => {
  const { run } = hooksWith('#!/bin/sh\nexec 0<&-\nexit 0\n')
  expect(await run({ input: 'x'.repeat(5_000_000) })).toMatchObject({ code: 0, problem: undefined })
})

it('reports how a hook failed', async () => {
  const { run } = hooksWith('#!/bin/sh\necho no licence\nexit 3\n')
  expect(await run()).toMatchObject({
    ran: true,
    code: 3,
    problem: 'hooks/pre-add.sh failed with code 3.',
    output: 'no licence\n',
  })
  const killed = hooksWith('#!/bin/sh\nkill -KILL $$\n')
  expect(await killed.run()).toMatchObject({ code: undefined, problem: 'hooks/pre-add.sh was ended by SIGKILL.' })
})

it('does not run what is not executable, and says so', async () => {
  const { file, run } = hooksWith('#!/bin/sh\necho ran\n', { mode: 0o644 })
  const result = await run()
  expect(result).toMatchObject({ ran: false, output: '' })
  expect(result.problem).toBe(
    `hooks/pre-add.sh is not executable, so it was not run. To fix this, run: chmod +x ${file}`,
  )
  rmSync(file)
  mkdirSync(file)
  expect((await run()).problem).toBe('hooks/pre-add.sh is not a file, so it was not run.')
})

it('says when the program of the first line is not there', async () => {
  const { run } = hooksWith('#!/no/such/shell\necho ran\n')
  expect(await run()).toMatchObject({
    ran: false,
    problem: 'hooks/pre-add.sh was not run, because the program in its first line, /no/such/shell, does not exist.',
  })
  expect((await hooksWith('#!/bin/sh\r\necho ran\r\n').run()).problem).toMatch(
    /\/bin\/sh, does not exist\. It has Windows line endings\.$/,
  )
})

it('runs programs of any kind, also without a first line', async () => {
  expect(await hooksWith('echo "$1"\n').run()).toMatchObject({ code: 0, output: 'demo\n' })
  const node = `#!${process.execPath}\nconsole.log(process.argv[2], require('fs').readFileSync(0, 'utf8'))\n`
  expect(await hooksWith(node).run({ input: { a: 'ä' } })).toMatchObject({ code: 0, output: 'demo {"a":"ä"}\n' })
})

it('gives a hook no other open files than the three', async ({ skip }) => {
  skip(!existsSync('/proc/self/fd'), 'there is no /proc here')
  const { output } = await hooksWith('#!/bin/sh\nls /proc/$$/fd\n').run()
  expect(
    output
      .trim()
      .split('\n')
      .filter((fd) => Number(fd) > 2 && Number(fd) < 10),
  ).toEqual([])
})

it('ends with the manager when that is killed', async ({ skip }) => {
  skip(!existsSync('/proc/self/fd'), 'there is no /proc here')
  const { folder, file } = hooksWith(
    `#!/bin/sh\nsleep 600 &\necho $! > child\necho $$ > hook\nkill -KILL $PPID\nsleep 600\n`,
  )
  const options = { home: folder, applicationServer: '/not/there', defaultTemplate: '/not/there' }
  renameSync(file, join(folder, 'hooks/monitoring.sh'))
  expect(await runProgram('./run-hook.ts', options)).toBeUndefined()
  await endOf(join(folder, 'hook'))
  await endOf(join(folder, 'child'))
})

it('ends a hook that hangs, with all that it started', async () => {
  const { folder, run } = hooksWith(
    `#!/bin/sh\ntrap '' TERM\necho begun\nsh -c 'trap "" TERM; echo $$ > child; sleep 600 & wait; sleep 600' &\necho $$ > hook\nsleep 600 & wait\nsleep 600\n`,
    { config: ['APPS_HOOKTIMEOUT=5'] },
  )
  const result = await run()
  expect(result).toMatchObject({ ran: true, timedOut: true, output: 'begun\n' })
  expect(result.problem).toBe('hooks/pre-add.sh took longer than 5 s (APPS_HOOKTIMEOUT) and was ended.')
  await endOf(join(folder, 'hook'))
  await endOf(join(folder, 'child'))
})

it('ends a hook when the operation is cancelled, and does not start one afterwards', async () => {
  const cancel = new AbortController()
  const { folder, run } = hooksWith('#!/bin/sh\necho $$ > hook\nsleep 600\n')
  const running = run({ signal: cancel.signal })
  await expect.poll(() => existsSync(join(folder, 'hook')) && readFileSync(join(folder, 'hook'), 'utf8')).toBeTruthy()
  cancel.abort()
  expect(await running).toMatchObject({ timedOut: false, problem: expect.stringContaining('cancelled') as string })
  await endOf(join(folder, 'hook'))
  rmSync(join(folder, 'hook'))
  expect((await run({ signal: cancel.signal })).problem).toContain('cancelled')
  expect(existsSync(join(folder, 'hook'))).toBe(false)
})

it('keeps the end of what a hook prints, in little memory', async () => {
  const { run } = hooksWith(`#!/bin/sh\nhead -c 120000000 /dev/zero | tr '\\0' x\necho\necho the end\n`)
  const before = process.memoryUsage().arrayBuffers
  const { output, problem } = await run()
  expect(problem).toBeUndefined()
  expect(output).toHaveLength(64 * 1024)
  expect(output.endsWith('x\nthe end\n')).toBe(true)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000)
})

it('does not wait for what a hook leaves in the background', async () => {
  const { folder, run } = hooksWith('#!/bin/sh\nsleep 600 &\necho $! > child\necho done\n')
  const result = await run()
  const pid = Number(readFileSync(join(folder, 'child'), 'utf8'))
  expect(identify(pid)).toBeDefined()
  process.kill(pid)
  expect(result).toMatchObject({ code: 0, problem: undefined, output: 'done\n' })
  expect(result.duration).toBeLessThan(60_000)
})

it('shows no secret that a hook prints, however', async () => {
  const { run } = hooksWith(
    [
      '#!/bin/sh',
      'echo "url http://$SERVICE_USER:$SERVICE_PASSWORD@localhost token=$MY_TOKEN"',
      String.raw`printf 'Basic '; printf '%s:%s' "$SERVICE_USER" "$SERVICE_PASSWORD" | base64`,
      'echo p%40ss%20word',
      // The start of the part that is kept falls into one of many passwords.
      'i=0; while [ $i -lt 9000 ]; do echo "$SERVICE_PASSWORD"; i=$((i+1)); done',
    ].join('\n'),
    { config: ['MY_TOKEN=t0ken-x'] },
  )
  const environment = { SERVICE_USER: 'service', SERVICE_PASSWORD: 'p@ss word', USER: 'demo' }
  const { output } = await run({ environment })
  expect(output).not.toMatch(/p@ss|word|p%40|t0ken|c2VydmljZTpw/)
  expect(new Set(output.split('\n').slice(1))).toEqual(new Set(['***', '']))
  const short = hooksWith(
    '#!/bin/sh\necho "$SERVICE_USER:$SERVICE_PASSWORD"; printf "%s" "$SERVICE_USER:$SERVICE_PASSWORD" | base64\n',
  )
  expect((await short.run({ environment })).output).toBe('service:***\n***\n')
})

it('does not run what others may change, nor lets a hook without .sh pass', async () => {
  const { file, run } = hooksWith('#!/bin/sh\necho ran\n', { mode: 0o777 })
  expect(await run()).toMatchObject({
    ran: false,
    problem: 'hooks/pre-add.sh can be changed by every user, so it is not run.',
  })
  chmodSync(file, 0o775)
  expect(await run()).toMatchObject({ ran: true })
  if (process.getuid?.() === 0) {
    chownSync(file, 0, 12_345)
    expect(await run()).toMatchObject({
      ran: false,
      problem: 'hooks/pre-add.sh can be changed by every user of its group (12345), so it is not run.',
    })
  }
  const bare = file.replace(/\.sh$/, '')
  renameSync(file, bare)
  expect(await run()).toMatchObject({ ran: false, problem: expect.stringContaining(`${bare} is not run without .sh`) })
  rmSync(bare)
  expect(await run()).toMatchObject({ ran: false, problem: undefined })
})
