import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { instanceHomeAt } from '../domain/home.js'
import { ask, logOf } from '../runtime/contract/runtime-under-test.js'
import { processesUnderTest } from '../runtime/processes-for-test.js'
import type { InstanceSpec } from '../runtime/runtime.js'
import { identify } from '../system/process-identity.js'
import { isInContainer, listPids, statOf, uidOf } from '../system/process-table.js'
import { createTestHome } from '../testing/test-home.js'
import { canUseAccounts } from '../testing/reachable-checkout.js'
import { accountAt, asAccount, type SystemAccount } from './account.js'
import { endAllOf } from './end-all-of.js'
import { findAccount } from './find-account.js'
import { giveHome } from './give.js'
import { makeAccount, markAccount, removeAccount } from './system-accounts.js'
import { takeTestPort } from '../testing/take-ports.js'

const isHere = canUseAccounts(import.meta.url)

describe.runIf(isHere)('an instance with an account', () => {
  const patience = { timeout: 20_000, interval: 20 }
  const name = `steward-t${process.pid}`
  let subject: Awaited<ReturnType<typeof processesUnderTest>>
  let account: SystemAccount

  beforeEach(async () => {
    subject = await processesUnderTest()
    chmodSync(subject.folder, 0o711)
    account = await makeAccount(name, subject.folder)
  })
  afterEach(async () => {
    await removeAccount(name, subject.folder)
    await subject.close()
  })

  async function made(environment: Readonly<Record<string, string>> = {}): Promise<InstanceSpec> {
    const spec = await subject.spec('isolated', await takeTestPort(), environment)
    await giveHome(instanceHomeAt(spec.folder), account)
    await subject.runtime.define(spec)
    return spec
  }

  async function started(): Promise<InstanceSpec> {
    const spec = await made()
    await subject.runtime.start(spec)
    await expect.poll(() => ask(spec, '/id'), patience).toBeDefined()
    return spec
  }

  const pids = () => listPids().filter((pid) => uidOf(pid) === account.uid && statOf(pid) !== undefined)
  const runFile = ({ folder }: InstanceSpec, file: string) => join(folder, 'run', file)
  /** As code of the instance does it. */
  const asInstance = (script: string, ...args: readonly string[]) => {
    const [program, before] = asAccount(account, '/bin/sh')
    return execFileSync(program, [...before, '-c', script, 'sh', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  it('starts no more processes than its limit, with which it does not end its supervisor either', async () => {
    const spec = await made()
    const forking = 'echo started; while :; do sleep 3600 & done'
    await subject.runtime.start({ ...spec, command: ['/bin/sh', '-c', forking], limits: { processes: 40 } })
    await expect.poll(async () => (await subject.runtime.observe(spec)).state, patience).toBe('crashed')
    const { lastExit, limits } = await subject.runtime.observe(spec)
    expect(limits).toEqual([expect.objectContaining({ name: 'processes', value: 40 })])
    expect(lastExit?.reason).toBe('reached its limit of 40 processes and threads')
    const log = await logOf(subject.runtime, spec)
    expect(log.filter((line) => line === 'started')).toHaveLength(3)
    await subject.runtime.stop(spec, { graceMs: 10_000 })
    expect(await subject.runtime.processes(spec)).toEqual([])
  })

  it('runs as that, in no other group, and cannot get more rights', async () => {
    const spec = await started()
    const { pids } = await subject.runtime.observe(spec)
    expect(pids).toHaveLength(2)
    for (const pid of pids) {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      expect(status).toMatch(new RegExp(`^Uid:(\\s+${account.uid}){4}$`, 'm'))
      expect(status).toMatch(new RegExp(`^Gid:(\\s+${account.gid}){4}$`, 'm'))
      expect(status).toMatch(/^Groups:\s*$/m)
      expect(status).toMatch(/^CapEff:\s+0+$/m)
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
    }
    expect(await ask(spec, '/environment', { name: 'HOME' })).toContain(join(spec.folder, 'data'))
    expect((await subject.runtime.processes(spec)).map(({ pid }) => pid)).toEqual(pids.toSorted((a, b) => a - b))
    await subject.runtime.suspend?.(spec, { maxMs: 60_000 })
    expect((await subject.runtime.observe(spec)).state).toBe('suspended')
    await subject.runtime.resume?.(spec)
    expect(await subject.runtime.stop(spec, { graceMs: 5000 })).toMatchObject({ wasRunning: true, code: 0 })
    expect(pids.map(statOf)).toEqual([undefined, undefined])
  })

  it('has its debugger open for those who know its path only', async () => {
    const spec = await made()
    await subject.runtime.start(spec, { debug: true })
    await expect.poll(async () => (await subject.runtime.observe(spec)).debugAddress, patience).toBeDefined()
    const { debugAddress = '' } = await subject.runtime.observe(spec)
    const { host, pathname } = new URL(`ws://${debugAddress}`)
    expect(pathname).toMatch(/^\/[0-9a-f-]{36}$/)
    expect(await fetch(`http://${host}/json/list`).then((answer) => answer.text())).not.toContain(pathname)
    const socket = new WebSocket(`ws://${debugAddress}`)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', reject)
    })
    socket.close()
  })

  it('cannot have processes of others signalled by what it writes into run/', async () => {
    const spec = await started()
    const victim = spawn('/bin/sleep', ['1000'], { detached: true })
    try {
      const { pid, start, boot } = identify(victim.pid as number)!
      const [, , , token] = readFileSync(runFile(spec, 'supervisor'), 'utf8').trim().split(' ')
      await subject.runtime.stop(spec, { graceMs: 5000 })
      // A sleep has no such variable, but a supervisor or an application is believed without.
      asInstance(
        'cd "$1"; echo "$2 $3 $4 $5" >supervisor; echo "$2 $3 $4 $2 0" >application; echo "$2 $3 $4" >suspended',
        ...[join(spec.folder, 'run'), String(pid), start, boot, token ?? ''],
      )
      expect(await subject.runtime.observe(spec)).toMatchObject({ pids: [] })
      await subject.runtime.suspend?.(spec, { maxMs: 1000 })
      expect(await subject.runtime.processes(spec)).toEqual([])
      expect(await subject.runtime.stop(spec, { graceMs: 0, force: true })).toEqual({ wasRunning: false })
      expect(statOf(pid)?.state).toBe('S')
    } finally {
      victim.kill('SIGKILL')
    }
  })

  it('cannot have the manager write, read or wait by what it puts into its folders', async () => {
    const spec = await started()
    await subject.runtime.stop(spec, { graceMs: 5000 })
    const secret = join(subject.folder, 'secret')
    writeFileSync(secret, 'secret\n', { mode: 0o600 })
    // What the manager made can be neither removed nor replaced.
    for (const part of ['run', 'logs', 'app', 'data', 'account', 'run/b'])
      expect(() => asInstance('mv "$1" "$1.gone" 2>/dev/null', join(spec.folder, part))).toThrow()
    asInstance('cd "$1"; mkfifo application; ln -s "$2" exit; ln -s "$2" debugger', join(spec.folder, 'run'), secret)
    expect(await subject.runtime.observe(spec)).toMatchObject({ state: 'stopped', pids: [] })
    asInstance('cd "$1"; rm application.log; ln -s "$2" application.log', join(spec.folder, 'logs'), secret)
    expect(await logOf(subject.runtime, spec)).toEqual([])
    await expect(subject.runtime.start(spec)).rejects.toThrow()
    expect(readFileSync(secret, 'utf8')).toBe('secret\n')
    asInstance('cd "$1"; rm application.log; mkfifo application.log', join(spec.folder, 'logs'))
    expect(await logOf(subject.runtime, spec)).toEqual([])
    await expect(subject.runtime.start(spec)).rejects.toThrow()
    asInstance('rm "$1"', join(spec.folder, 'logs', 'application.log'))
    await subject.runtime.start(spec)
    await expect.poll(() => ask(spec, '/id'), patience).toBeDefined()
  })

  it('that hid a process from its supervisor has none left when it is ended by force', async () => {
    const spec = await started()
    const hidden = Number(asInstance('setsid sleep 1000 >/dev/null 2>&1 & echo $!').trim())
    await expect.poll(() => uidOf(hidden), patience).toBe(account.uid)
    await subject.runtime.stop(spec, { graceMs: 0, force: true })
    await expect.poll(() => statOf(hidden), patience).toBeUndefined()
  })

  it('is ended without those of containers, whose accounts may have the same number', async () => {
    const [program, before] = asAccount(account, '/bin/sh')
    const sleeping = [...before, '-c', 'sleep 1000 & wait']
    spawn('unshare', ['--pid', '--fork', program, ...sleeping], { stdio: 'ignore' })
    onTestFinished(() => void spawnSync('kill', ['-s', 'KILL', ...pids().map(String)]))
    await expect.poll(() => pids().length, patience).toBe(2)
    const inContainer = pids()
    expect(inContainer.map(isInContainer)).toEqual([true, true])
    const hiding = `unshare --user --map-root-user --pid --fork sh -c 'sleep 1000 & wait'`
    asInstance(`setsid sh -c "$1" >/dev/null 2>&1 &`, hiding)
    await expect.poll(() => pids().length, patience).toBeGreaterThan(4)
    await endAllOf(account)
    expect(pids()).toEqual(inContainer)
  })

  it('is ended however fast it starts others', async () => {
    asInstance(`setsid sh -c 'run() { sleep 0.01; run & }; run & run & run &' >/dev/null 2>&1 &`)
    await expect.poll(() => pids().length, patience).toBeGreaterThan(0)
    await endAllOf(account)
    expect(pids()).toEqual([])
  })

  it('is not removed with its account by another home than the one that it is marked with', async () => {
    const other = createTestHome()
    await markAccount(name, other)
    await expect(removeAccount(name, subject.folder)).rejects.toMatchObject({
      code: 'ERR_STATE',
      message: expect.stringContaining(`belongs to the manager's home ${other}`) as string,
    })
    expect(findAccount(name)).toBeDefined()
    rmSync(other, { recursive: true })
    await removeAccount(name, subject.folder)
    expect(findAccount(name)).toBeUndefined()
  })

  it('is not started without its account', async () => {
    const spec = await made()
    await removeAccount(name, subject.folder)
    expect(findAccount(name)).toBeUndefined()
    await expect(subject.runtime.start(spec)).rejects.toMatchObject({
      code: 'ERR_STATE',
      message: expect.stringContaining(`The system account "${name}" of the instance does not exist`) as string,
    })
    expect(accountAt(spec.folder)).toEqual(account)
    writeFileSync(join(spec.folder, 'account'), 'damaged\n')
    expect(() => accountAt(spec.folder)).toThrow(expect.objectContaining({ code: 'ERR_STATE' }))
  })
})
