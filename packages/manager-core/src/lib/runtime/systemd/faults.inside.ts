import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { accountAt, asAccount } from '../../accounts/account.js'
import { ask, logOf } from '../contract/runtime-under-test.js'
import type { InstanceSpec } from '../runtime.js'
import { unitsUnderTest } from './systemd-for-test.js'
import { environmentFileOf } from './unit-files.js'
import { unitName } from './unit.js'
import { takeTestPort } from '../../testing/take-ports.js'

let subject: Awaited<ReturnType<typeof unitsUnderTest>>
const made: InstanceSpec[] = []

beforeAll(async () => {
  subject = await unitsUnderTest()
})
afterEach(async () => {
  for (const spec of made.splice(0)) {
    await subject.runtime.stop(spec, { graceMs: 0, force: true })
    await subject.runtime.undefine(spec)
  }
})
afterAll(() => subject.close())

async function instance(environment: Readonly<Record<string, string>> = {}): Promise<InstanceSpec> {
  const spec = await subject.spec('a', await takeTestPort(), environment)
  made.push(spec)
  return spec
}

async function started(environment?: Readonly<Record<string, string>>): Promise<InstanceSpec> {
  const spec = await instance(environment)
  await subject.runtime.start(spec)
  await expect.poll(() => ask(spec, '/id')).toBeDefined()
  return spec
}

const unitFile = (spec: InstanceSpec) => `/etc/systemd/system/${unitName(spec, 'a')}`
const linkFile = (spec: InstanceSpec) => `/etc/systemd/system/multi-user.target.wants/${unitName(spec, 'a')}`
const state = async (spec: InstanceSpec) => (await subject.runtime.observe(spec)).state

/** What the account of one instance can learn. */
function readAs(spec: InstanceSpec, path: string): string {
  const [program, before] = asAccount(accountAt(spec.folder), 'cat')
  try {
    return execFileSync(program, [...before, path], { stdio: 'pipe', encoding: 'utf8' })
  } catch (error) {
    return (error as { readonly stderr: string }).stderr
  }
}

it('instances can read nothing of each other, and their environment only root', async () => {
  const [one, two] = [await started({ SECRET: 'of one' }), await started()]
  writeFileSync(join(one.folder, 'data', 'secret'), 'data of one')
  const { pids } = await subject.runtime.observe(one)
  for (const path of [
    join(one.folder, 'data', 'secret'),
    join(one.folder, 'app', 'program.mjs'),
    join(one.folder, 'account'),
    environmentFileOf(unitName(one, 'a')),
    `/proc/${pids[0]}/environ`,
  ])
    expect(readAs(two, path)).toContain('Permission denied')
  expect(readAs(one, environmentFileOf(unitName(one, 'a')))).toContain('Permission denied')
  expect(statSync(environmentFileOf(unitName(one, 'a')))).toMatchObject({ uid: 0, gid: 0, mode: 0o100600 })
  const shown = execFileSync('systemctl', ['show', unitName(one, 'a')], { encoding: 'utf8' })
  expect(shown + readFileSync(unitFile(one), 'utf8')).not.toContain('of one')
})

it('writes its log as the account, wherever that leads', async () => {
  const spec = await instance()
  await subject.runtime.define(spec)
  const target = join(subject.folder, 'of root')
  writeFileSync(target, 'untouched')
  symlinkSync(target, join(spec.folder, 'logs', 'application.log'))
  // Its program ends before it can write: systemd reports that about the start, or about what it started.
  const refused = await subject.runtime.start(spec).then(
    () => undefined,
    (error: { readonly code: string }) => error.code,
  )
  if (refused === undefined) await expect.poll(() => state(spec)).toBe('crashed')
  else expect([refused, await state(spec)]).toEqual(['ERR_FAILED', 'stopped'])
  expect(readFileSync(target, 'utf8')).toBe('untouched')
})

it('leaves a unit alone that has its name and is not its own', async () => {
  const spec = await instance()
  const theirs = '[Service]\nExecStart=/bin/true\n'
  writeFileSync(unitFile(spec), theirs)
  await expect(subject.runtime.define(spec)).rejects.toMatchObject({
    code: 'ERR_STATE',
    message: expect.stringContaining(`The unit ${unitName(spec, 'a')} already exists`),
    help: expect.stringContaining('systemctl cat'),
  })
  await subject.runtime.undefine(spec)
  expect(readFileSync(unitFile(spec), 'utf8')).toBe(theirs)
  expect(existsSync(environmentFileOf(unitName(spec, 'a')))).toBe(false)
  rmSync(unitFile(spec))
})

it('leaves nothing behind of a definition that fails, nor of one that is taken away', async () => {
  const spec = await instance()
  mkdirSync(`${unitFile(spec)}.new`)
  await expect(subject.runtime.define(spec)).rejects.toThrow('Cannot prepare the instance')
  expect([unitFile(spec), environmentFileOf(unitName(spec, 'a'))].filter(existsSync)).toEqual([])
  rmSync(`${unitFile(spec)}.new`, { recursive: true })
  await subject.runtime.start(spec)
  expect([unitFile(spec), linkFile(spec), environmentFileOf(unitName(spec, 'a'))].every(existsSync)).toBe(true)
  mkdirSync(`${unitFile(spec)}.d`)
  writeFileSync(`${unitFile(spec)}.d/own.conf`, '[Service]\nNice=1\n')
  await subject.runtime.stop(spec, { graceMs: 10_000 })
  expect(existsSync(linkFile(spec))).toBe(false)
  await subject.runtime.undefine(spec)
  const left = [unitFile(spec), `${unitFile(spec)}.d`, linkFile(spec), environmentFileOf(unitName(spec, 'a'))]
  expect([...left, join(spec.folder, 'run')].filter(existsSync)).toEqual([])
})

it('is not started again after a crash without the file that it would make again', async () => {
  const made = await instance()
  const spec = { ...made, needs: join(made.folder, 'data', 'database.db') }
  await subject.runtime.start(spec)
  await expect.poll(() => ask(spec, '/id')).toBeDefined()
  await ask(spec, '/exit', { code: '3' })
  await expect.poll(() => state(spec)).toBe('crashed')
  expect((await subject.runtime.observe(spec)).lastExit?.code).toBe(3)
  expect((await logOf(subject.runtime, spec, 1))[0]).toContain('is gone, so it is not started again')
})

it('is refused by systemd for others than root, in words', async () => {
  const uid = process.geteuid?.() as number
  const spec = await started()
  process.seteuid?.(65_534)
  try {
    await expect(subject.runtime.stop({ ...spec, folder: '/nowhere' }, { graceMs: 1000 })).rejects.toMatchObject({
      code: expect.stringMatching(/^ERR_(STATE|FAILED)$/),
    })
  } finally {
    process.seteuid?.(uid)
  }
  expect(await state(spec)).toBe('started')
})
