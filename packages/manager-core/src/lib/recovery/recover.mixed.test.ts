/** @module-tag mixed */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { startSshd, type TestSshd } from '../../../../../tests/servers/sshd.js'
import type { ManagerError } from '../../errors.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { endProcessesOf } from '../testing/end-processes.js'
import { createManagerWithStore, type ManagerWithStore } from '../testing/manager-with-store.js'
import { addCompany, authorizationOf, realApplication } from '../testing/real-manager.js'
import { layOutManager } from './lay-out-manager.js'
import { seemsSecret } from './portable-settings.js'

const opened: TestManager[] = []
const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: ManagerError) => error)

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

interface Row {
  readonly what: string
  readonly name: string
  readonly result: string
  readonly message: string
}
const rowsOf = ({ list = [] }: { readonly list?: readonly unknown[] }) => list as readonly Row[]
const of = (rows: readonly Row[], what: string, name: string) =>
  rows.find((row) => row.what === what && row.name === name)

/** A `crontab` that keeps its table in a file. */
function writeCrontab(folder: string): void {
  const text = `#!/bin/sh
[ "$1" = -u ] && shift 2
case "$1" in
  -l) [ -e ${folder}/table ] || { echo "no crontab for tester" >&2; exit 1; }; cat ${folder}/table ;;
  -) cat > ${folder}/table ;;
esac
`
  writeFileSync(join(folder, 'crontab'), text, { mode: 0o755 })
}

const noSshd = toolIsMissing('sshd') ?? toolIsMissing('ssh')

describe.skipIf(noSshd)('a server whose machine is lost', () => {
  let sshd: TestSshd
  beforeAll(async () => {
    sshd = await startSshd()
  })
  afterAll(() => sshd?.close())

  it('comes back from an SSH server alone, with all instances and their data, also after an interruption', async () => {
    const { server, port, user, path, key, known_hosts } = sshd.options as Record<string, string>
    const cron = mkdtempSync(join(tmpdir(), 'steward-cron-'))
    writeCrontab(cron)
    const identity = await generateX25519Identity()
    writeFileSync(join(cron, 'from-the-safe'), `${identity}\n`, { mode: 0o600 })
    const target = [
      `APPS_SCP_SERVER=${server}`,
      `APPS_SCP_PORT=${port}`,
      `APPS_SCP_USER=${user}`,
      `APPS_SCP_PATH=${path}`,
      `APPS_SCP_KEY=${key}`,
      `APPS_SCP_KNOWN_HOSTS=${known_hosts}`,
      `APPS_BACKUP_RECIPIENTS=${await identityToRecipient(identity)}`,
      `APPS_BACKUP_IDENTITY=${join(cron, 'from-the-safe')}`,
    ]
    const environment = { ...process.env, PATH: `${cron}:${process.env['PATH']}` }
    const lost = await createTestManager({
      ...realApplication,
      environment,
      config: [...target, 'export APPS_SAVE_DIR=$APPS_HOME/saved', 'APPS_MAXINSTANCES=7', 'APPS_PASSWORD=pages-secret'],
    })
    opened.push(lost)
    const own = join(lost.folder, 'own')
    cpSync(realApplication.defaultTemplate, own, { recursive: true })
    writeFileSync(join(lost.home, 'version-2.0.sh'), `APPS_TEMPLATE=folder:${own}\n`)
    mkdirSync(join(lost.home, 'hooks'))
    writeFileSync(join(lost.home, 'hooks', 'post-add.sh'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    await lost.perform('refresh')
    await lost.perform('token add', { name: 'reader', abilities: 'read' })
    await lost.perform('schedule', { what: 'install', saveall: '22:15', upgradeall: 'off' })
    for (const name of ['shop', 'crm', 'gone']) {
      await lost.perform('add', { name, from: name === 'crm' ? '2.0' : '1.0', 'no-start': name !== 'shop' })
      await lost.perform('autosave', { name })
    }
    await addCompany(lost, 'shop', 'Durable Ltd')
    expect((await lost.perform('saveall')).exitCode).toBeUndefined()
    // What is newer than the backups is only in the registry.
    await lost.perform('rename', { name: 'crm', new: 'sales' })
    await lost.perform('seturl', { name: 'sales', url: 'https://sales.example.org' })
    await lost.perform('delete', { name: 'gone', purge: true })
    lost.context.registry.transaction((writer) =>
      writer.updateInstance(lost.instance('shop').id, { ownerEmail: 'ann@example.org' }),
    )
    await lost.perform('protect', { name: 'shop' })
    await lost.perform('save', { name: 'shop', 'with-secrets': true, to: 'scp' })
    const before = lost.context.registry.instances()
    const history = lost.context.registry.history({ limit: 1000 }).map(({ hash }) => hash)
    await endProcessesOf(lost.folder)
    lost.manager.close()
    rmSync(lost.folder, { recursive: true, maxRetries: 5 })
    rmSync(join(cron, 'table'))

    const config = [...target, 'APPS_PASSWORD=another', 'APPS_SAVEALL_PARALLEL=1']
    const abort = new AbortController()
    let plans = 0
    const next = await createTestManager({
      ...realApplication,
      environment,
      refresh: false,
      config,
      onJournal: ({ at }) => at === 'planned' && ++plans === 2 && abort.abort(),
    })
    opened.push(next)
    const dry = await next.perform('recover', { from: 'scp' }, { dryRun: true })
    expect(dry.message).toMatch(/^2 instances would be recovered \(1 left out\): nothing was done\.$/)
    expect(next.context.registry.instances()).toEqual([])
    expect(existsSync(join(next.home, 'version-2.0.sh'))).toBe(false)

    expect(await failure(next.perform('recover', { from: 'scp' }, { signal: abort.signal }))).toBeDefined()
    expect(next.context.registry.instances()).toHaveLength(1)
    const done = await next.perform('recover', { from: 'scp' })
    const rows = rowsOf(done)
    process.stdout.write(`recover: ${done.message}\n`)
    expect([done.exitCode, done.message]).toEqual([
      undefined,
      expect.stringMatching(/^1 instance recovered \(1 already here, 1 left out\), after [\d.]+ s\.$/),
    ])
    expect(of(rows, 'instance', 'gone')).toMatchObject({
      result: 'left out',
      message: expect.stringContaining('deleted'),
    })

    const facts = (all: typeof before) =>
      all.map(
        ({
          id,
          name,
          version,
          revision,
          port: own_,
          desired,
          protected: p,
          autoSave,
          autoUpdate,
          customUrl,
          ownerEmail,
          created,
        }) => ({
          ...{
            id,
            name,
            version,
            revision,
            port: own_,
            desired,
            p,
            autoSave,
            autoUpdate,
            customUrl,
            ownerEmail,
            created,
          },
        }),
      )
    expect(facts(next.context.registry.instances())).toEqual(facts(before))
    const { port: shopPort } = next.instance('shop')
    const response = await fetch(`http://127.0.0.1:${shopPort}/api/rest/Company/?com_name=Durable%20Ltd`, {
      headers: { Authorization: await authorizationOf(next, 'shop') },
    })
    expect(await response.json()).toMatchObject([{ com_name: 'Durable Ltd' }])
    const settings = next.context.settings.global
    expect([settings.maxInstances, settings.saveFolder]).toEqual([7, join(next.home, 'saved')])
    expect(settings.password?.reveal()).toBe('another')
    expect(existsSync(join(next.home, 'hooks', 'post-add.sh'))).toBe(true)
    expect((await next.perform('token list')).list).toMatchObject([{ name: 'reader' }])
    const after = next.context.registry.history({ limit: 1000 }).map(({ hash }) => hash)
    expect(after.slice(0, history.length)).toEqual(history)
    expect((await next.perform('history verify')).exitCode).toBe(0)
    expect(readFileSync(join(cron, 'table'), 'utf8')).toMatch(/15 22 .* saveall/)
    expect(
      rows.find(({ what, message }) => what === 'version' && message.includes('taken from the copy')),
    ).toMatchObject({
      name: '2.0',
      result: 'restored',
    })

    // No other and no older application comes in the next night.
    const { list } = await next.perform('upgradeall')
    expect(JSON.stringify(list)).not.toMatch(/failed|"upgraded"/)
    expect((await next.perform('recover', { from: 'scp' })).message).toMatch(/^0 instances recovered \(2 already here/)
    await next.perform('add', { name: 'fresh', from: '2.0', 'no-start': true })
    rmSync(cron, { recursive: true })
  }, 300_000)
})

it.skipIf(!noSshd)('recover is tested with a real server', ({ skip }) => skip(noSshd))

describe('a copy of the manager that is not encrypted', () => {
  let test: ManagerWithStore

  it('holds no secret, and says what it leaves out', async () => {
    test = await createManagerWithStore({
      config: [
        '# the old password was H1dden-comment',
        'APPS_PASSWORD=H1dden-a',
        'APPS_POSTGRESQL_ADMINPASSWORD="H1dden-b"',
        'APPS_S3_SECRET_KEY=H1dden-c',
        'LICENCE=H1dden-d',
        'APPS_EMAIL=ops@example.org',
        'APPS_SAVE_DIR="$APPS_HOME/save"',
      ],
      version: ['APPS_TEMPLATE=git:https://bob:H1dden-e@git.example.org/x.git#main', 'OWN=H1dden-f'],
    })
    opened.push(test)
    const hook = (name: string, line: string) => {
      mkdirSync(join(test.home, 'hooks'), { recursive: true })
      writeFileSync(join(test.home, 'hooks', name), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
    }
    hook('post-add.sh', 'curl -u bob:H1dden-g https://x.example.org')
    hook('post-stop.sh', 'curl -u "$SERVICE_USER:$SERVICE_PASSWORD" "$SERVICE_URL"')
    const folder = join(test.folder, 'laid')
    const { leftOut } = await layOutManager(test.context, folder, { secrets: false })
    const files = readAll(folder)
    expect(files.join('\n')).not.toContain('H1dden')
    expect(files.join('\n')).toContain('export APPS_EMAIL=ops@example.org')
    expect(files.join('\n')).toContain('export APPS_SAVE_DIR="$APPS_HOME"/save')
    expect(leftOut).toEqual([
      'APPS_PASSWORD (config.sh)',
      'APPS_POSTGRESQL_ADMINPASSWORD (config.sh)',
      'APPS_S3_SECRET_KEY (config.sh)',
      'LICENCE (config.sh)',
      'APPS_TEMPLATE (version-1.0.sh)',
      'OWN (version-1.0.sh)',
      'hooks/post-add.sh',
    ])
    expect(existsSync(join(folder, 'hooks', 'post-stop.sh'))).toBe(true)
  })

  it('brings back all but the secrets, and names these', async () => {
    test = await createManagerWithStore({ config: ['APPS_PASSWORD=H1dden', 'APPS_MAXINSTANCES=9'], refresh: true })
    opened.push(test)
    await test.perform('add', { name: 'demo', 'no-start': true })
    await test.perform('save', { name: 'demo', to: 'nas' })
    const next = await createManagerWithStore({ refresh: false })
    opened.push(next)
    rmSync(next.store(), { recursive: true })
    cpSync(test.store(), next.store(), { recursive: true })
    const rows = rowsOf(await next.perform('recover', { from: 'nas' }))
    expect(of(rows, 'settings', 'APPS_PASSWORD (config.sh)')).toMatchObject({ result: 'left out' })
    expect(of(rows, 'instance', 'demo')).toMatchObject({ result: 'restored' })
    expect(next.context.settings.global.maxInstances).toBe(9)
    // Copies of the one continue with those of the other.
    const other = await createManagerWithStore({ refresh: true })
    opened.push(other)
    await other.perform('add', { name: 'stranger', 'no-start': true })
    rmSync(other.store(), { recursive: true })
    cpSync(test.store(), other.store(), { recursive: true })
    expect(await failure(other.perform('recover', { from: 'nas' }))).toMatchObject({
      code: 'ERR_STATE',
      message: expect.stringContaining('"stranger"'),
    })
    await other.perform('save', { name: 'stranger', to: 'nas' })
    expect(await failure(other.perform('recover', { from: 'nas' }))).toMatchObject({
      code: 'ERR_USAGE',
      message: 'There are copies of 2 managers at "nas".',
    })
  })

  it('is not needed: backups alone bring instances back', { tags: 'core' }, async () => {
    test = await createManagerWithStore({ refresh: true })
    opened.push(test)
    await test.perform('add', { name: 'demo', 'no-start': true })
    await test.perform('save', { name: 'demo', to: 'nas' })
    const next = await createManagerWithStore({ refresh: true })
    opened.push(next)
    cpSync(test.store('demo'), next.store('demo'), { recursive: true })
    const done = await next.perform('recover', { from: 'nas' })
    expect(done.warnings?.join()).toContain('There is no copy of a manager')
    expect(next.instance('demo').id).toBe(test.instance('demo').id)
  })
})

describe('seemsSecret()', () => {
  it.each([
    ['PASSWORD=abc', true],
    ['export API_TOKEN="abc"', true],
    ['curl -H "Authorization: Bearer abcdefgh"', true],
    ['git clone https://a:b@host/x', true],
    ['mysql --password=abc', true],
    ['PASSWORD="$SERVICE_PASSWORD"', false],
    ['echo "done with $USER"', false],
    ['curl https://host/x', false],
  ])('%s: %s', (line, expected) => {
    expect(seemsSecret(Buffer.from(`#!/bin/sh\n${line}\n`))).toBe(expected)
  })
})

function readAll(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
}
