// Records a home of the manager as it is now, with commands that were killed, in `<version>/home.tar.gz`:
//   node --import ./packages/manager-core/src/lib/testing/typescript.mjs \
//     packages/manager-core/src/lib/testing/recorded-homes/record.ts <version>
// The test opens each home that was ever recorded: none is removed or recorded again.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { manifestName } from '../../backup/manifest.js'
import { verifyHistory } from '../../history/verify-history.js'
import type { Manager } from '../../manager.js'
import type { JournalPoint } from '../../operation/operation.js'
import { insertRequest, updateRequest } from '../../store/request-rows.js'
import { bootId } from '../../system/process-identity.js'
import { createTestManager } from '../create-test-manager.js'
import { endProcessesOf } from '../end-processes.js'
import { fakeApplicationServer, writeTemplate } from '../fake-application.js'
import { runProgram } from '../run-program.js'
import { takeSnapshots, type Snapshot } from '../snapshot.js'
import { recordedFolder, recordedPorts, rewrite, type KilledCommand, type RecordedHome } from './recorded-home.js'

interface Kill extends KilledCommand {
  /** It kills itself there. */
  readonly at: JournalPoint
  /** Actions on the instance that come before. Processes end with the recording, so that only the first one has some. */
  readonly begin?: readonly string[]
}

const effect = (step: string): JournalPoint => ({ at: 'effect', step })
const intent = (step: string): JournalPoint => ({ at: 'intent', step })
const [back, on] = ['rolled_back', 'succeeded'] as const

const kills: readonly Kill[] = [
  { action: 'upgrade', input: { name: 'early' }, at: effect('switch'), end: back, begin: ['start'] },
  { action: 'upgrade', input: { name: 'late' }, at: intent('drop'), end: on },
  { action: 'rollback', input: { name: 'upgraded' }, at: effect('restore-swap'), end: back },
  { action: 'add', input: { name: 'half', 'no-start': true }, at: effect('place'), end: back },
  { action: 'add', input: { name: 'whole', 'no-start': true }, at: intent('post-add'), end: on },
  { action: 'clone', input: { name: 'shop', new: 'shop2', 'no-start': true }, at: effect('data'), end: back },
  { action: 'rename', input: { name: 'office', new: 'sales' }, at: effect('settings'), end: back },
  { action: 'save', input: { name: 'notes' }, at: effect('save'), end: back },
  { action: 'save', input: { name: 'diary', to: 'nowhere' }, at: intent('prune'), end: on },
  { action: 'restore', input: { name: 'ledger' }, at: effect('restore-swap'), end: back },
  { action: 'restore', input: { name: 'wiki' }, at: intent('restore-old'), end: on },
  { action: 'restore', input: { name: 'shop', as: 'again' }, at: effect('data'), end: back },
  { action: 'delete', input: { name: 'old' }, at: effect('trash'), end: back },
]

const [version = ''] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+(-\d+)?$/.test(version)) throw new Error('Say which version is recorded: 1.2.3, or 1.2.3-2.')

const config = [
  'export APPS_BASEURL=http://localhost:8000',
  `export APPS_PORTS=${recordedPorts.range}`,
  'export APPS_ISOLATION=no',
  'export APPS_HEALTHWINDOW=0',
  'export APPS_ALLOWREGISTER=yes',
  'export APPS_ROOTCONTEXT=false',
  'APPS_TARGETS=shelf,nowhere',
  'APPS_TARGET_SHELF_TYPE=local',
  'APPS_TARGET_SHELF_PATH=$APPS_HOME/../shelf',
  'APPS_TARGET_NOWHERE_TYPE=not-there',
]
mkdirSync(recordedFolder)
for (const each of ['home', 'shelf']) mkdirSync(join(recordedFolder, each))
writeTemplate(join(recordedFolder, 'template'))
writeFileSync(join(recordedFolder, 'home', 'config.sh'), `${config.join('\n')}\n`, { mode: 0o600 })
const versionSettings = `export APPS_TEMPLATE=folder:${join(recordedFolder, 'template')}\n`
writeFileSync(join(recordedFolder, 'home', 'version-1.0.sh'), versionSettings, { mode: 0o600 })
const test = await createTestManager({ folder: recordedFolder })
const { folder, home, perform, context, caller } = test
try {
  const token = await prepare()
  // Its registry is replaced.
  test.manager.close()
  const alike: Record<string, string> = {}
  const exact: Record<string, string> = {}
  for (const [index, kill] of kills.entries()) {
    const { before, after } = await killed(kill)
    if (index === 0) {
      Object.assign(alike, before.alike)
      Object.assign(exact, before.exact)
    }
    const isFinished = kill.end === 'succeeded'
    for (const key of changed(before.alike, after.alike)) put(alike, key, (isFinished ? after : before).alike[key])
    for (const key of changed(before.exact, after.exact)) put(exact, key, isFinished ? undefined : before.exact[key])
  }
  // They are not rewritten.
  for (const key of Object.keys(exact)) if (key.endsWith(manifestName)) delete exact[key]
  await endProcessesOf(folder)
  const { head } = await withManager(({ context }) => verifyHistory(context.registry))
  await pack({ at: new Date().toISOString(), killed: kills.map(bare), alike, exact, token, head })
} finally {
  await test.close()
}

/** Instances, backups, copies, tokens, requests, versions, runs: what commands leave that went well. @returns a token */
async function prepare(): Promise<string> {
  await perform('refresh')
  const names = [
    'demo',
    'early',
    'late',
    'upgraded',
    'shop',
    'office',
    'notes',
    'diary',
    'ledger',
    'wiki',
    'old',
    'gone',
  ]
  for (const name of names) {
    await perform('add', { name })
    await perform('stop', { name })
  }
  for (const action of ['protect', 'noautoupdate', 'autosave']) await perform(action, { name: 'demo' })
  await perform('seturl', { name: 'demo', url: 'https://demo.example.com' })
  await perform('save', { name: 'demo', to: 'shelf' })
  await withoutPrograms(() => perform('save', { name: 'demo' }))
  for (const name of ['ledger', 'wiki', 'shop']) {
    await perform('save', { name })
    writeFileSync(test.path(name, 'app', 'new.txt'), 'new')
    change(name)
  }
  await perform('delete', { name: 'gone' })
  const migrate = 'create table if not exists migrated (id integer primary key)'
  writeTemplate(test.template, { version: '1.0.1', fake: { migrate } })
  await perform('refresh')
  await perform('upgrade', { name: 'upgraded' })
  change('upgraded')
  const { data } = await perform('schedule', { what: 'install' }, { dryRun: true })
  writeFileSync(join(folder, 'crontab'), (data as { readonly crontab: string }).crontab)
  const created = new Date().toISOString()
  const person = { email: 'ada@example.org', firstname: 'Ada', lastname: 'Lovelace', phone: '1', company: 'Engines' }
  const asked = { ...person, name: 'wanted', version: '1.0', created, language: 'fr', address: '::1' } as const
  const { registry } = context
  updateRequest(registry, insertRequest(registry, asked, 'hash'), { status: 'confirmed', confirmed: created })
  const run = await test.manager.begin('unprotect', { name: 'demo' }, { ...caller, surface: 'api' })
  // A run keeps no process alive.
  const alive = setInterval(() => undefined, 1000)
  await context.runs.answer(run, new AbortController().signal)
  clearInterval(alive)
  await perform('protect', { name: 'demo' })
  await perform('token add', { name: 'deploy', abilities: 'operate', instances: 'demo', days: 0 })
  const { item } = await perform('token add', { name: 'watch', days: 0 })
  return (item as { readonly token: string }).token
}

/** Data that are not as they were saved. */
function change(name: string): void {
  const database = new DatabaseSync(test.path(name, 'data', 'database.db'))
  database.exec(`insert into note values (2, 'new')`)
  database.close()
}

/** As on a machine that has no programs which pack. */
async function withoutPrograms(work: () => Promise<unknown>): Promise<void> {
  const { PATH } = process.env
  process.env['PATH'] = '/nowhere'
  try {
    await work()
  } finally {
    process.env['PATH'] = PATH
  }
}

/** Does the command in a copy of the home, and is killed in the home itself. */
async function killed({ action, input, at, begin = [] }: Kill) {
  const copy = join(folder, 'copy')
  const options = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true }
  const parts = ['home', 'shelf']
  const run = { home, applicationServer: fakeApplicationServer, defaultTemplate: test.template, leavesRecovery: true }
  const first = () =>
    withManager(async (manager) => {
      const { name = '' } = input
      for (const each of begin) await manager.perform(each, { name }, { ...caller, leavesRecovery: true })
    })
  for (const part of parts) cpSync(join(folder, part), join(copy, part), options)
  await first()
  const before = await look()
  const done = await runProgram('./crash-action.ts', { ...run, action, input })
  if (done === undefined || 'error' in JSON.parse(done)) throw new Error(`${action} fails: ${done}`)
  const after = await look()
  await endProcessesOf(folder)
  for (const part of parts) rmSync(join(folder, part), { recursive: true })
  cpSync(copy, folder, options)
  rmSync(copy, { recursive: true })
  await first()
  const survived = await runProgram('./crash-action.ts', { ...run, action, input, at })
  if (survived !== undefined) throw new Error(`${action} has no ${JSON.stringify(at)}: ${survived}`)
  return { before, after }
}

function look() {
  return withManager(({ context }) => takeSnapshots(context))
}

async function withManager<T>(work: (manager: Manager) => Promise<T>): Promise<T> {
  const manager = test.another()
  try {
    return await work(manager)
  } finally {
    manager.close()
  }
}

function changed(before: Snapshot, after: Snapshot): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => before[key] !== after[key])
}

function put(snapshot: Record<string, string>, key: string, value: string | undefined): void {
  if (value === undefined) delete snapshot[key]
  else snapshot[key] = value
}

function bare({ action, input, end }: Kill): KilledCommand {
  return { action, input, end }
}

/** Without what is of this machine. */
async function pack(recorded: RecordedHome): Promise<void> {
  // Copies of managers name their host.
  for (const left of ['home/manager.db-reserve', 'home/locks', 'shelf/_manager'])
    rmSync(join(folder, left), { recursive: true, force: true })
  writeFileSync(join(folder, 'expected.json'), JSON.stringify(recorded, undefined, 1))
  const sources = fileURLToPath(new URL('../../../../../..', import.meta.url))
  const own: readonly (readonly [string, string])[] = [
    [process.execPath, '/usr/bin/node'],
    [sources, '/usr/lib/steward/'],
    [bootId(), '00000000-0000-4000-8000-000000000000'],
    [JSON.stringify(hostname()), '"server"'],
  ]
  rewrite(folder, (text) => own.reduce((changed, [here, there]) => changed.replaceAll(here, there), text))
  const { stdout } = await execa('grep', ['-rlaF', ...own.flatMap(([here]) => ['-e', here]), folder], { reject: false })
  if (stdout !== '') throw new Error(`These still name this machine:\n${stdout}`)
  const target = join(import.meta.dirname, version)
  mkdirSync(target)
  const flags = ['--create', '--gzip', '--sort=name', '--owner=0', '--group=0', '--numeric-owner']
  await execa('tar', [...flags, `--file=${join(target, 'home.tar.gz')}`, `--directory=${folder}`, '.'])
}
