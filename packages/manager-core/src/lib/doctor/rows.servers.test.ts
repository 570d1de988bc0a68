import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { sqlite } from '../store/sqlite.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { canUseAccounts } from '../testing/reachable-checkout.js'
import type { Diagnosis } from './doctor.js'

let test: TestManager
/** No engine of this machine: a test may listen here. */
const engine = join(mkdtempSync(join(tmpdir(), 'steward-engine-')), 'engine.sock')
beforeAll(async () => {
  test = await createTestManager({ config: ['APPS_DATABASES=sqlite', `APPS_CONTAINER_SOCKET=${engine}`] })
  await test.perform('add', { name: 'demo' })
  await test.perform('stop', { name: 'demo' })
})
afterAll(async () => {
  await test.close()
  rmSync(dirname(engine), { recursive: true })
})

async function doctor(category: string, fix = false) {
  const { list, exitCode } = await test.perform('doctor', { category, fix })
  const faults = (list as unknown as readonly Diagnosis[]).filter(({ level }) => level !== 'ok')
  return { faults, exitCode }
}

type Heal = () => unknown

/** Moves a file away; healing brings it back. */
function away(file: string): Heal {
  renameSync(file, `${file}.away`)
  return () => renameSync(`${file}.away`, file)
}

function config(...lines: readonly string[]): Heal {
  const file = test.context.home.config
  const before = readFileSync(file)
  appendFileSync(file, lines.map((line) => `${line}\n`).join(''))
  return () => writeFileSync(file, before)
}

function mode(path: string, wanted: number): Heal {
  const before = statSync(path).mode
  chmodSync(path, wanted)
  return () => chmodSync(path, before)
}

function owner(path: string, uid: number): Heal {
  mkdirSync(path, { recursive: true })
  chownSync(path, uid, uid)
  return () => chownSync(path, process.getuid?.() ?? 0, process.getgid?.() ?? 0)
}

function hook(name: string, mode = 0o755): Heal {
  const file = join(test.context.home.hooks, name)
  mkdirSync(test.context.home.hooks, { recursive: true })
  writeFileSync(file, '#!/bin/sh\n')
  chmodSync(file, mode)
  return () => rmSync(file)
}

function sql(change: string, back: string): Heal {
  test.context.registry[sqlite].exec(change)
  return () => test.context.registry[sqlite].exec(back)
}

/** As if it had been added to this runtime. */
function ranBy(runtime: string, desired = 'stopped'): Heal {
  const set = (name: string, wanted: string) =>
    `update instance set runtime = '${name}', desired = '${wanted}' where id = '${test.instance('demo').id}'`
  return sql(set(runtime, desired), set('process', 'stopped'))
}

async function started(): Promise<Heal> {
  await test.perform('start', { name: 'demo' })
  return () => test.perform('stop', { name: 'demo' })
}

interface Row {
  readonly what: string
  readonly category: string
  readonly harm: () => Heal | Promise<Heal>
  readonly check: string
  readonly level: 'warning' | 'error'
  readonly message: RegExp
  readonly help: RegExp
}

const row = (
  what: string,
  category: string,
  harm: Row['harm'],
  [check, level, message, help]: readonly [string, Row['level'], RegExp, RegExp],
): Row => ({ what, category, harm, check, level, message, help })

const rows: readonly Row[] = [
  row('an application without app.yaml', 'instances', () => away(test.path('demo', 'app', 'app.yaml')), [
    ...(['instance-contents', 'error', /^"demo" has no app\/app\.yaml/, /restore demo --only app/] as const),
  ]),
  row('a database file that is gone', 'instances', () => away(test.path('demo', 'data', 'database.db')), [
    ...(['instance-contents', 'error', /its database file .* is missing/, /start demo --empty/] as const),
  ]),
  row('a home that all may change', 'home', () => mode(test.home, 0o777), [
    ...(['home-owners', 'error', /^All users can change /, /doctor home --fix/] as const),
  ]),
  // Only root can give it away.
  ...(process.getuid?.() === 0
    ? [
        row('hooks that another user has', 'home', () => owner(test.context.home.hooks, 65_534), [
          ...(['home-owners', 'error', /hooks belongs to user 65534/, /chown/] as const),
        ]),
      ]
    : []),
  row('a folder without settings', 'instances', () => away(test.path('demo', 'settings.sh')), [
    ...(['instance-folders', 'error', /"demo" has no settings file/, /doctor instances --fix/] as const),
  ]),
  row(
    'an instance that an operation blocks',
    'instances',
    () => {
      const { id } = test.instance('demo')
      return sql(
        `insert into operation (id, kind, instance_id, instance, title, actor, surface, request, facts, locks, state, owner, started)
           values ('op1', 'save', '${id}', 'demo', 'Save it', '', 'cli', '{}', '{}', '[]', 'attention', '{}', '2026');
         update instance set operation = 'op1' where id = '${id}'`,
        `delete from operation where id = 'op1'; update instance set operation = '' where id = '${id}'`,
      )
    },
    ['instance-blocked', 'error', /^"demo" is blocked .*: Save it\./, /giveup op1/],
  ),
  row(
    'a port that another program has',
    'instances',
    async () => {
      const server = createServer().listen(test.instance('demo').port, '127.0.0.1')
      await once(server, 'listening')
      return () => server.close()
    },
    ['instance-ports', 'warning', /^The port \d+ of "demo" is used .*\(process \d+: /, /End that program/],
  ),
  row(
    'a supervisor that was killed',
    'instances',
    async () => {
      const heal = await started()
      const pid = Number(readFileSync(test.path('demo', 'run', 'supervisor'), 'utf8').split(' ')[0])
      process.kill(pid, 'SIGKILL')
      const ref = { id: test.instance('demo').id, folder: test.path('demo') }
      while ((await test.context.runtimes.named('process').observe(ref)).state !== 'degraded') await sleep(10)
      return heal
    },
    ['instance-state', 'warning', /^"demo" is running without its supervisor/, /restart demo/],
  ),
  row('a runtime that is not there any more', 'instances', () => ranBy('steward-runtime-gone'), [
    ...(['instance-state', 'error'] as const),
    /^The state of "demo" is unknown: its runtime "steward-runtime-gone" does not work here\. The runtime "steward-runtime-gone" is not available/,
    /^Install the package "steward-runtime-gone" again, and add it to APPS_RUNTIMES/,
  ]),
  row(
    'a runtime whose plug-in is named and not installed',
    'instances',
    () => {
      const heals = [config('APPS_RUNTIMES=steward-runtime-gone'), ranBy('steward-runtime-gone')]
      return () => heals.forEach((heal) => heal())
    },
    [
      ...(['instance-state', 'error'] as const),
      /^The state of "demo" is unknown: .*steward-runtime-gone.* is not installed/,
      /^Repair that runtime/,
    ],
  ),
  row('an engine that does not answer', 'instances', () => ranBy('container', 'started'), [
    ...(['instance-state', 'error'] as const),
    /^The state of "demo" is unknown: its runtime "container" does not work here\. No container engine responds at /,
    /^Repair that runtime/,
  ]),
  ...(existsSync('/run/systemd/system')
    ? []
    : [
        row('a machine without systemd', 'instances', () => ranBy('systemd', 'started'), [
          ...(['instance-state', 'error'] as const),
          /^The state of "demo" is unknown: its runtime "systemd" does not work here\. This machine does not run systemd/,
          /^Repair that runtime/,
        ]),
      ]),
  row(
    'a container that was removed while it should run',
    'instances',
    async () => {
      // An engine that has none.
      const server = createHttpServer((_request, response) => response.writeHead(404).end('{}')).listen(engine)
      await once(server, 'listening')
      const heal = ranBy('container', 'started')
      return async () => {
        heal()
        server.close()
        await once(server, 'close')
      }
    },
    [
      ...(['instance-state', 'error'] as const),
      /^"demo" should be running, but its container steward-[\w-]+ no longer exists\.$/,
      /^Create it again and start the instance: manager start demo/,
    ],
  ),
  row(
    'a version for Java whose JDK is missing',
    'instances',
    () => {
      const file = join(test.home, 'version-9.9.sh')
      writeFileSync(file, 'APPS_JDK=/nowhere/jdk\n', { mode: 0o600 })
      return () => rmSync(file)
    },
    ['java', 'warning', /^APPS_JDK is \/nowhere\/jdk, .* it has no bin\/java\. Needed by version 9\.9\.$/, /APPS_JDK=/],
  ),
  row(
    'a Java web application whose version names no JDK',
    'instances',
    () => {
      const folder = test.path('demo', 'app', 'WEB-INF')
      mkdirSync(folder)
      return () => rmSync(folder, { recursive: true })
    },
    ['java', 'error', /^Version 1\.0 is a Java web application, .* Needed by demo\.$/, /APPS_JDK=/],
  ),
  row('a default version that is not there', 'settings', () => config('APPS_DEFAULTVERSION=9.9'), [
    ...(['default-version', 'error', /APPS_DEFAULTVERSION is "9\.9"/, /Versions are 1\.0/] as const),
  ]),
  row('a setting with which no command can work', 'settings', () => config('APPS_DEFAULTDATABASE=foo'), [
    ...(['settings', 'error', /APPS_DEFAULTDATABASE/, /are refused/] as const),
  ]),
  row(
    'nothing that calls saveall',
    'backups',
    () => {
      const { id } = test.instance('demo')
      const set = (flag: number) => `update instance set auto_save = ${flag}, created = '2999' where id = '${id}'`
      return sql(set(1), set(0))
    },
    ['schedule', 'warning', /^saveall is not scheduled/, /schedule install/],
  ),
  row('a reserve that is gone', 'databases', () => away(`${test.context.home.database}-reserve`), [
    ...(['registry-reserve', 'warning', /manager\.db-reserve is missing/, /^$/] as const),
  ]),
  row('a hook without .sh', 'home', () => hook('pre-save'), [
    ...(['hooks-executable', 'error', /^hooks\/pre-save is not run/, /pre-save\.sh/] as const),
  ]),
  row('a hook that is misspelt', 'home', () => hook('pre-svae.sh'), [
    ...(['hooks-executable', 'warning', /^hooks\/pre-svae\.sh is never run/, /pre-save/] as const),
  ]),
  row('a hook that everybody may change', 'home', () => hook('pre-save.sh', 0o777), [
    ...(['hooks-executable', 'error', /^hooks\/pre-save\.sh can be changed by every user/, /chmod/] as const),
  ]),
]

describe('doctor reports', () => {
  it.each(rows)('$what', async ({ category, harm, check, level, message, help }) => {
    const before = (await doctor(category)).faults
    expect(before.filter((one) => one.check === check)).toEqual([])
    const heal = await harm()
    try {
      const { faults, exitCode } = await doctor(category)
      const found = faults.filter((one) => one.check === check && message.test(one.message))
      expect(found).toMatchObject([{ level }])
      expect(found[0]?.help ?? '').toMatch(help)
      if (level === 'error') expect(exitCode).toBe(1)
    } finally {
      await heal()
    }
    expect((await doctor(category)).faults.filter((one) => one.check === check)).toEqual([])
  })
})

it('doctor --fix makes the reserve again', async () => {
  rmSync(`${test.context.home.database}-reserve`)
  expect((await doctor('databases', true)).faults).toMatchObject([{ check: 'registry-reserve', level: 'fixed' }])
  expect(existsSync(`${test.context.home.database}-reserve`)).toBe(true)
})

// Only root can ask as another user.
it.runIf(process.getuid?.() === 0)(
  'doctor reports a manager that runs as root, and a user who cannot use the home',
  async () => {
    const told = async () => (await doctor('system')).faults.filter(({ check }) => check === 'system-user')
    expect(await told()).toMatchObject([{ level: 'warning', message: expect.stringContaining('runs as root') }])
    for (const [user, message] of [
      ['nobody', 'The user "nobody" (APPS_USER) can neither read nor change'],
      ['no-such-user', 'user "no-such-user" (APPS_USER) does not exist'],
    ] as const) {
      const heal = config(`APPS_USER=${user}`)
      expect(await told()).toMatchObject([{ level: 'error', message: expect.stringContaining(message) }])
      heal()
    }
  },
)

it.runIf(canUseAccounts(import.meta.url))(
  'doctor does not have a home whose instances have accounts given to APPS_USER',
  async () => {
    // Accounts may pass.
    chmodSync(test.folder, 0o711)
    const heal = config('APPS_USER=nobody', 'APPS_ISOLATION=yes')
    onTestFinished(() => {
      heal()
      chmodSync(test.folder, 0o700)
    })
    expect(JSON.stringify((await doctor('system')).faults)).not.toMatch(/chown|system-user/)
  },
)
