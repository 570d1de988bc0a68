import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { applicationLog } from '../runtime/look.js'
import { logVariable } from '../runtime/look.js'
import { sqlite } from '../store/sqlite.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { testInstance } from '../testing/made-up-operation.js'
import type { Diagnosis } from './doctor.js'

let test: TestManager

beforeAll(async () => {
  // The others have no server here.
  test = await createTestManager({ config: ['APPS_DATABASES=sqlite'] })
  await test.perform('add', { name: 'demo' })
})

afterAll(() => test.close())

async function doctor(category: string, fix = false): Promise<readonly Diagnosis[]> {
  const { list } = await test.perform('doctor', { category, fix })
  return list as unknown as readonly Diagnosis[]
}

const faults = (list: readonly Diagnosis[]) => list.filter(({ level }) => level !== 'ok')

describe('doctor', () => {
  it('finds nothing wrong with a new manager', async () => {
    const { message, list, exitCode } = await test.perform('doctor')
    expect(
      faults(list as unknown as readonly Diagnosis[]).filter(
        ({ check }) => !['programs', 'system-user', 'schedule-startall'].includes(check),
      ),
    ).toEqual([])
    expect(list?.length).toBeGreaterThan(10)
    // What is well because there is none of it is not shown as if there were.
    const messages = list?.map((one) => (one as { message: string }).message)
    expect(messages).toContain('No reverse proxy publishes the instances (APPS_PROXY=no)')
    expect(messages).toContain('No instance is included in nightly backups')
    expect([message, exitCode]).toEqual([expect.any(String), 0])
  })

  it('looks at one category only', async () => {
    expect(new Set((await doctor('home')).map(({ category }) => category))).toEqual(new Set(['home']))
  })
})

describe('files that others can read', () => {
  const settings = () => test.path('demo', 'settings.sh')

  it('a settings file of mode 0644 is an error, and --fix makes it private', async () => {
    chmodSync(settings(), 0o644)
    expect(faults(await doctor('home'))).toMatchObject([
      {
        level: 'error',
        message: expect.stringMatching(/settings\.sh can be read by other users \(mode 0644\)/),
        fixable: true,
      },
    ])
    expect(faults(await doctor('home', true))).toMatchObject([{ level: 'fixed' }])
    expect(statSync(settings()).mode & 0o777).toBe(0o600)
    expect(faults(await doctor('home'))).toEqual([])
  })

  it('so is config.sh, and the command ends with 1', async () => {
    chmodSync(test.context.home.config, 0o640)
    const { exitCode, message } = await test.perform('doctor', { category: 'home' })
    expect([exitCode, message]).toEqual([1, '1 error, 0 warnings. To repair 1 of them, run: manager doctor --fix'])
    await doctor('home', true)
  })
})

describe('hooks', () => {
  it('a script that is not executable is an error, and --fix makes it executable', async () => {
    const hook = join(test.context.home.hooks, 'post-stop.sh')
    mkdirSync(test.context.home.hooks, { recursive: true })
    writeFileSync(hook, '#!/bin/sh\n', { mode: 0o644 })
    expect(faults(await doctor('home'))).toMatchObject([{ message: expect.stringContaining('hooks/post-stop.sh') }])
    await doctor('home', true)
    expect(statSync(hook).mode & 0o100).toBe(0o100)
    rmSync(hook)
  })
})

describe('settings', () => {
  it('a misspelt variable is a warning with what was meant', async () => {
    const spelt = await createTestManager({ config: ['APPS_DATABASES=sqlite', 'APPS_MAXINSTANCE=3'] })
    const { list } = await spelt.perform('doctor', { category: 'settings' })
    expect(faults(list as unknown as readonly Diagnosis[])).toMatchObject([
      { level: 'warning', message: expect.stringMatching(/^APPS_MAXINSTANCE \(config\.sh:\d+\): .*APPS_MAXINSTANCES/) },
    ])
    await spelt.close()
  })

  it('those of versions and instances are looked at, too', async () => {
    const version = join(test.home, 'version-7.0.sh')
    writeFileSync(version, 'APPS_TEMPLATE=default\nAPPS_TOMCATMAXMEM=lots\n')
    writeFileSync(join(test.home, 'version-8.0.sh'), 'touch marker\n')
    const own = test.path('demo', 'settings.sh')
    const before = readFileSync(own)
    appendFileSync(own, 'SERVICE_DEBUGG=true\n')
    const { list } = await test.perform('doctor', { category: 'settings' })
    const messages = list?.map((finding) => (finding as { message: string }).message).join('\n')
    expect(messages).toContain('(version-7.0.sh:2), but must be a whole number')
    expect(messages).toContain('version-8.0.sh:1: The command "touch" is not allowed')
    expect(messages).toContain('Did you mean SERVICE_DEBUG?')
    writeFileSync(own, before)
    rmSync(version)
    rmSync(join(test.home, 'version-8.0.sh'))
  })
})

describe('backups', () => {
  it('what is left of a proof that was given up is a warning that says how to remove it', async () => {
    const { registry } = test.context
    const left = { id: 'gleft123', name: 'prove-gleft123', source: 'prove:demo/x', operation: 'given-up', port: 45_999 }
    registry.transaction((writer) => writer.insertInstance(testInstance(left)))
    const [finding] = faults(await doctor('backups'))
    expect(finding).toMatchObject({ check: 'proofs', level: 'warning', message: expect.stringContaining(left.name) })
    expect(finding?.help).toContain(`delete ${left.name} --force yes --purge`)
    await test.perform('delete', { name: left.name, force: true, purge: true })
    expect(faults(await doctor('backups'))).toEqual([])
    expect(registry.byId(left.id)).toBeUndefined()
  })

  it('a target that cannot be opened is an error, also without a look at the store', async () => {
    const before = readFileSync(test.context.home.config)
    appendFileSync(
      test.context.home.config,
      'APPS_TARGETS=box,nas APPS_TARGET_BOX_TYPE=no-such-plug-in APPS_TARGET_NAS_TYPE=local APPS_TARGET_NAS_PATH=/\n',
    )
    const found = [
      {
        check: 'target-settings',
        level: 'error',
        message: expect.stringMatching(/^Target "box": .*no such package is installed\.$/),
        help: expect.stringContaining('npm install no-such-plug-in'),
      },
    ]
    expect(faults(await doctor('backups'))).toMatchObject(found)
    const { list, exitCode } = await test.perform('doctor', { category: 'backups', network: true })
    expect(faults(list as unknown as Diagnosis[])).toMatchObject(found)
    expect(exitCode).toBe(1)
    writeFileSync(test.context.home.config, before)
  })

  it('targets are reached on request only', async () => {
    const before = readFileSync(test.context.home.config)
    appendFileSync(
      test.context.home.config,
      'APPS_TARGETS=nas APPS_TARGET_NAS_TYPE=local APPS_TARGET_NAS_PATH=$APPS_HOME/not-there\n',
    )
    expect(faults(await doctor('backups'))).toEqual([])
    const look = async () => (await test.perform('doctor', { category: 'backups', network: true })).list
    expect(faults((await look()) as unknown as Diagnosis[])).toMatchObject([
      { check: 'targets', level: 'error', message: expect.stringContaining('"nas"') },
    ])
    mkdirSync(join(test.home, 'not-there'))
    expect(faults((await look()) as unknown as Diagnosis[])).toEqual([])
    writeFileSync(test.context.home.config, before)
  })
})

describe('databases', () => {
  it('a server that does not run is to be started, not to be taken out of the settings', async () => {
    const { config } = test.context.home
    const before = readFileSync(config)
    appendFileSync(config, 'APPS_DATABASES=sqlite,postgresql\nAPPS_POSTGRESQL_PORT=1\nAPPS_POSTGRESQL_HOST=127.0.0.1\n')
    expect(faults(await doctor('databases')).filter(({ check }) => check === 'database-servers')).toMatchObject([
      {
        level: 'warning',
        help: expect.stringMatching(/^Start it if it does not run, or .*If no instance is to use it/),
      },
    ])
    writeFileSync(config, before)
  })
})

describe('instances', () => {
  it('a folder that belongs to none is a warning, and --fix moves it to the trash', async () => {
    const stray = join(test.context.home.instances, 'nobody1')
    mkdirSync(stray)
    writeFileSync(join(stray, 'file'), 'kept')
    expect(faults(await doctor('instances'))).toMatchObject([{ message: expect.stringContaining('instances/nobody1') }])
    await doctor('instances', true)
    expect(existsSync(stray)).toBe(false)
    const [moved] = readdirSync(test.context.home.trash).filter((name) => name.startsWith('stray-nobody1-'))
    expect(existsSync(join(test.context.home.trash, moved as string, 'file'))).toBe(true)
  })

  it.runIf(process.platform === 'linux')('one whose program was removed while it runs is an error', async () => {
    const program = test.path('demo', 'node')
    copyFileSync('/bin/sleep', program)
    const child = spawn(program, ['600'], { env: { [logVariable]: applicationLog(test.path('demo')) } })
    onTestFinished(() => void child.kill())
    await once(child, 'spawn')
    const found = async () => faults(await doctor('instances')).filter(({ check }) => check === 'instance-programs')
    expect(await found()).toEqual([])
    rmSync(program)
    expect(await found()).toMatchObject([
      { level: 'error', message: expect.stringMatching(/^"demo" runs on \S+\/node, which no longer exists/) },
    ])
    // Another version in the same place is used by the next start.
    writeFileSync(program, '')
    expect(await found()).toEqual([])
    rmSync(program)
  })

  it('one that is not healthy is an error', async () => {
    test.tell('demo', { health: 'KO' })
    expect(faults(await doctor('instances'))).toMatchObject([
      { level: 'error', message: expect.stringMatching(/^"demo" is not healthy: (?:status-KO|http-503)\.$/) },
    ])
    test.tell('demo', {})
  })

  it('one that is recorded as stopped and runs is a warning', async () => {
    await test.perform('setstatus', { name: 'demo', status: 'stopped' })
    expect(faults(await doctor('instances'))).toMatchObject([
      { level: 'warning', message: expect.stringContaining('is running, but') },
    ])
    await test.perform('setstatus', { name: 'demo', status: 'started' })
    expect(faults(await doctor('instances'))).toEqual([])
  })

  it('one that should run and does not is an error', async () => {
    await test.perform('stop', { name: 'demo' })
    await test.perform('setstatus', { name: 'demo', status: 'started' })
    expect(faults(await doctor('instances'))).toMatchObject([
      {
        level: 'error',
        message: expect.stringMatching(/^"demo" should be running, but is /),
        help: expect.stringMatching(/start demo$/),
      },
    ])
    const { registry } = test.context
    registry.transaction((writer) =>
      writer.insertInstance(testInstance({ id: 'gother12', name: 'other', port: 45_998, desired: 'started' })),
    )
    const down = faults(await doctor('instances')).filter(({ check }) => check === 'instance-state')
    expect(down).toMatchObject([
      { help: expect.stringMatching(/manager startall$/) },
      { help: expect.stringMatching(/manager startall$/) },
    ])
    registry[sqlite].exec(`delete from instance where id = 'gother12'`)
    await test.perform('setstatus', { name: 'demo', status: 'stopped' })
  })
})

describe('templates', () => {
  it('a version that is gone is an error, and --fix fetches it', async () => {
    const [version] = await test.context.templates.list()
    rmSync(version?.folder as string, { recursive: true })
    expect(faults(await doctor('templates'))).toMatchObject([{ level: 'error', fixable: true }])
    await doctor('templates', true)
    expect(faults(await doctor('templates'))).toEqual([])
  })
})

describe('operations', () => {
  it('one that needs attention is an error, and --fix tries again', async () => {
    const { [sqlite]: database } = test.context.registry
    await test.perform('start', { name: 'demo' })
    database.exec(`update operation set state = 'attention', message = 'the disk was full' where kind = 'start'`)
    expect(faults(await doctor('operations'))).toMatchObject([
      { level: 'error', message: expect.stringContaining('the disk was full'), fixable: true },
    ])
    expect(faults(await doctor('operations', true))).toMatchObject([{ level: 'fixed' }])
    expect(faults(await doctor('operations'))).toEqual([])
    expect(database.prepare(`select distinct state from operation`).all()).toEqual([{ state: 'succeeded' }])
  })

  it('one that cannot be brought to an end can be given up, and the instance is free again', async () => {
    const { [sqlite]: database, history } = test.context.registry
    const { id } = database.prepare(`select id from operation where kind = 'start'`).get() as { id: string }
    await expect(test.perform('giveup', { operation: id })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    database.exec(`update operation set state = 'attention', message = 'the disk was full' where kind = 'start'`)
    await expect(test.perform('save', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_ATTENTION' })
    expect(await test.perform('giveup', { operation: id })).toMatchObject({ operation: id })
    expect(history().at(-1)).toMatchObject({ action: 'giveup', instance: 'demo', message: 'the disk was full' })
    await test.perform('stop', { name: 'demo' })
  })
})
