import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createManager, findAction } from '@steward/manager-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operationKinds } from '../../../../manager-core/src/lib/actions/kinds.js'
import { sqlite } from '../../../../manager-core/src/lib/store/sqlite.js'
import {
  createTestManager,
  type TestManager,
  type TestManagerOptions,
} from '../../../../manager-core/src/lib/testing/create-test-manager.js'
import { fakeApplicationServer, writeTemplate } from '../../../../manager-core/src/lib/testing/fake-application.js'
import { apiClient, type ApiEvent } from './api-for-test.js'

const program = fileURLToPath(new URL('./server-for-test.mjs', import.meta.url))

/** What is asked of each instance, by the kind of the operation; and what is done with it before. */
const asked: Readonly<Record<string, readonly [query: string, before?: readonly string[]]>> = {
  add: ['add&name=NAME'],
  clone: ['clone&name=NAME&param=cloneofit', ['add']],
  rename: ['rename&name=NAME&param=renamed', ['add']],
  move: ['move&name=NAME&to=process', ['add']],
  reset: ['reset&name=NAME', ['add']],
  delete: ['del&name=NAME', ['add']],
  undelete: ['undelete&entry=NAME', ['add', 'delete']],
  purge: ['purge&entry=NAME', ['add', 'delete']],
  save: ['save&name=NAME', ['add']],
  restore: ['restore&name=NAME', ['add', 'save']],
  recreate: ['restore&name=NAME&as=recreated', ['add', 'save']],
  prove: ['prove&name=NAME', ['add', 'save']],
  upgrade: ['upgrade&name=NAME&force=true', ['add']],
  rehearse: ['upgrade&name=NAME&rehearse=true&force=true', ['add']],
  rollback: ['rollback&name=NAME', ['add', 'upgrade']],
  setversion: ['setversion&name=NAME&version=1.1', ['add']],
  start: ['start&name=NAME', ['add']],
  stop: ['stop&name=NAME', ['add', 'start']],
  restart: ['restart&name=NAME', ['add', 'start']],
  protect: ['protect&name=NAME', ['add']],
  unprotect: ['unprotect&name=NAME', ['add', 'protect']],
  autoupdate: ['autoupdate&name=NAME', ['add']],
  noautoupdate: ['noautoupdate&name=NAME', ['add']],
  autosave: ['autosave&name=NAME', ['add']],
  noautosave: ['noautosave&name=NAME', ['add', 'autosave']],
  seturl: ['seturl&name=NAME&param=https://demo.example.com', ['add']],
  reseturl: ['reseturl&name=NAME', ['add']],
  neutralise: ['neutralise&name=NAME', ['add']],
  unneutralise: ['unneutralise&name=NAME', ['add', 'neutralise']],
  'setting unset': ['setting+unset&name=NAME&variable=SERVICE_SLEEP_AFTER', ['add', 'setting set']],
}

/** Fewer than there are workers, so that the others continue. */
const held = ['rename', 'save', 'stop', 'protect', 'seturl'] as const

describe('a server that is killed', () => {
  let test: TestManager
  let server: ChildProcess
  let client: ReturnType<typeof apiClient>

  async function startServer(): Promise<void> {
    const options = { home: test.home, applicationServer: fakeApplicationServer, defaultTemplate: test.template }
    server = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', program, JSON.stringify(options), '127.0.0.1:0'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const [line] = (await once(server.stdout!, 'data')) as [Buffer]
    client = apiClient(line.toString().trim())
  }

  async function killServer(): Promise<void> {
    server.kill('SIGKILL')
    await once(server, 'exit')
  }

  beforeAll(async () => {
    const built = createManager as unknown as NonNullable<TestManagerOptions['createManager']>
    test = await createTestManager({
      createManager: built,
      config: ['export APPS_WORKERS=6', 'export APPS_DEFAULTVERSION=1.0'],
    })
    writeTemplate(test.template, { version: '1.0.1' })
    writeFileSync(join(test.home, 'version-1.1.sh'), `export APPS_TEMPLATE=folder:${test.template}\n`, { mode: 0o600 })
    await test.context.templates.refresh()
    const inputs: Readonly<Record<string, object>> = {
      add: { 'no-start': true },
      upgrade: { force: true },
      'setting set': { variable: 'SERVICE_SLEEP_AFTER', value: '60' },
    }
    for (const [kind, [, before = []]] of Object.entries(asked))
      for (const action of before) await test.perform(action, { name: nameOf(kind), ...inputs[action] })
    // Where it is moved from: of the others some cannot be used on every machine.
    const { id } = test.instance(nameOf('move'))
    test.context.registry.transaction((writer) => writer.updateInstance(id, { runtime: 'former' }))
    await startServer()
  })
  afterAll(async () => {
    if (server?.exitCode === null && server.signalCode === null) await killServer()
    await test?.close()
  })

  it('ends no operation of any kind: each finishes, and is reported from where it was interrupted', async () => {
    // These cannot end before the server is killed, however fast the machine is: other operations hold their instances.
    const locks = held.map((kind) =>
      test.context.locks.tryAcquire([`instance:${test.instance(nameOf(kind)).id}`], 'test'),
    )
    const begun = await Promise.all(
      Object.entries(asked).map(async ([kind, [query]]) => {
        const { body } = await client.get(`async=true&wait=600&action=${query.replace('NAME', nameOf(kind))}`)
        expect({ kind, ...body }).toMatchObject({ status: 0 })
        return { kind, id: body.operation as string }
      }),
    )
    const heard = new Map<string, string>()
    const listening = begun.map(async ({ id }) => {
      const until = ({ id: last }: ApiEvent) => void heard.set(id, last) as never
      await client.events(`action=operation&id=${id}`, { until }).catch(() => {})
    })
    const ended = () => begun.filter(({ id }) => test.context.runs.find(id)?.ended !== '').length
    await expect.poll(ended, { interval: 10 }).toBeGreaterThan(begun.length / 4)
    await killServer()
    await Promise.all(listening)
    const open = begun.filter(({ id }) => test.context.runs.find(id)?.ended === '')
    expect(open.map(({ kind }) => kind)).toEqual(expect.arrayContaining([...held]))
    for (const lock of locks) lock?.release()
    await startServer()
    for (const { kind, id } of begun) {
      const after = heard.get(id)
      const events = await client.events(
        `action=operation&id=${id}`,
        after === undefined || after === 'end' ? {} : { after },
      )
      expect({ kind, ...events.at(-1) }).toMatchObject({ kind, event: 'result', data: { status: 0, operation: id } })
      if (after !== undefined && /^[1-9]/.test(after)) {
        const next = events.find(({ event }) => event === 'event')
        expect(Number(next?.id ?? Number(after) + 1)).toBe(Number(after) + 1)
      }
    }
    const done = test.context.registry[sqlite]
      .prepare(`select distinct kind from operation where surface = 'api'`)
      .all()
    // They need accounts of the system, a reverse proxy or a bucket, and are killed in tests of their own; the value of a
    // setting may be a secret, which ends with the server that was to carry it out. What verifies a backup is a part of its
    // request: it ends with the server, and the journal removes what it has made.
    const others = ['isolate', 'unisolate', 'sleep', 'movedocuments', 'setting set', 'verify']
    const ofApi = [...operationKinds.keys()].filter(
      (kind) => findAction(kind)?.surfaces === undefined && !others.includes(kind),
    )
    expect(done.map(({ kind }) => kind).toSorted()).toEqual(ofApi.toSorted())
  })
})

function nameOf(kind: string): string {
  return `it${kind.replace(' ', '')}`
}
