import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseAccount } from '@steward/db-adapters/server'
import type { ManagerContext } from '../context.js'
import type { DatabaseType } from '../domain/instance.js'
import { sqlite } from '../store/sqlite.js'
import { processesOf } from './end-processes.js'

/** All that a command may change, path by path and row by row: two that are equal are the same state. */
export type Snapshot = Readonly<Record<string, string>>

export interface Snapshots {
  /** Byte by byte; for what must be exactly as before. */
  readonly exact: Snapshot
  /** Without what each run chooses again: ids, dates, passwords, archives. For what must be as after another run. */
  readonly alike: Snapshot
}

/** What keeps changing while an instance runs: not compared. */
const unsettled = new Set([
  'logs',
  'run',
  'locks',
  'manager.db',
  'manager.db-wal',
  'manager.db-shm',
  'manager.db-reserve',
  'registry',
])

/** Takes both; instances that are starting are waited for. */
export async function takeSnapshots(context: ManagerContext): Promise<Snapshots> {
  const { registry, home } = context
  const running = await runningOf(context)
  const names = knownIds(context)
  const blur = (text: string) => {
    let blurred = text
    for (const [id, name] of names) blurred = blurred.replaceAll(id, `<${name}>`)
    return blurred
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<date>')
      .replaceAll(/\d{8}T\d{6}Z-[\w.]+-[a-z0-9]{8}/g, '<backup>')
      .replaceAll(/\d{8}T\d{6}Z/g, '<stamp>')
      .replaceAll(/(>_)[a-z0-9]{4}\b/g, '$1<suffix>')
      .replaceAll(/(PASSWORD=).*/g, '$1<password>')
  }
  const exact: Record<string, string> = { ...running }
  const alike: Record<string, string> = { ...running }
  for (const { updated: _updated, operation, ...row } of registry.instances()) {
    exact[`row ${row.name}`] = JSON.stringify({ ...row, operation })
    alike[`row ${row.name}`] = blur(JSON.stringify({ ...row, operation, versionDate: '', revision: '' }))
  }
  for (const id of names.keys())
    for (const { type, account, state } of await databasesOf(context, id)) {
      exact[`database ${account.name}`] = `${type}: ${state}`
      alike[blur(`database ${account.name}`)] = `${type}: ${state}`
    }
  for (const path of walk(home.folder)) {
    const name = path.slice(home.folder.length + 1)
    // Made when they are needed first.
    if (['instances/', 'trash/', 'save/', 'templates/'].includes(name)) continue
    exact[name] = contentOf(path)
    const isArchive = /\.zst$|manifest\.json$|trash\.json$|point\.json$|\.status\.json$/.test(name)
    alike[blur(name)] = isArchive || path.endsWith('/') ? '' : blur(contentOf(path))
  }
  return { exact, alike }
}

/** Ids of all instances that there are or were, with their names. */
export function knownIds({ registry }: ManagerContext): ReadonlyMap<string, string> {
  const rows = registry[sqlite]
    .prepare('select instance_id as id, instance as name from operation union select id, name from instance')
    .all()
  return new Map(rows.map(({ id, name }) => [String(id), String(name)]))
}

/** What the server of the default type has of that instance, by all names that an operation ever chose for it. */
export async function databasesOf({ databases, settings, registry }: ManagerContext, id: string): Promise<Found[]> {
  const type = settings.global.defaultDatabase
  // The embedded one lies in the instance's folder.
  if (type === 'sqlite') return []
  const usual = databases.names(type, id)
  const chosen = registry[sqlite]
    .prepare(
      `select facts ->> '$.names.name' as name, facts ->> '$.names.user' as user from operation where instance_id = ?`,
    )
    .all(id)
    .flatMap(({ name, user }) => (name === null ? [] : [{ name: String(name), user: String(user) }]))
  const all = new Map([usual, ...chosen].map((names) => [names.name, { ...names, password: '' }]))
  const found: Found[] = []
  for (const account of all.values()) {
    const state = await databases.server(type).exists(account)
    if (state !== 'no') found.push({ type, account, state })
  }
  return found
}

interface Found {
  readonly type: DatabaseType
  readonly account: DatabaseAccount
  /** State of the database and its user. */
  readonly state: 'partial' | 'yes'
}

/** Whether each instance runs, and with as many processes as it should. */
async function runningOf(context: ManagerContext): Promise<Snapshot> {
  const { registry, runtimes, home, settings } = context
  const found: Record<string, string> = {}
  let expected = 0
  for (const { id, name } of registry.instances()) {
    const ref = { id, folder: home.instance(id).folder }
    const runtime = runtimes.of(ref)
    let seen = await runtime.observe(ref)
    for (const end = performance.now() + 60_000; seen.state === 'starting' && performance.now() < end; await sleep(20))
      seen = await runtime.observe(ref)
    found[`state ${name}`] = seen.debugAddress === undefined ? seen.state : `${seen.state}, debugged`
    if (settings.global.proxy.enabled) found[`answer ${name}`] = await answerOf(context, name, seen.pids)
    expected += seen.pids.length
  }
  const count = () => processesOf(home.instances).filter((pid) => !isGuest(pid)).length
  // A supervisor says that it is done a moment before it ends.
  for (const end = performance.now() + 60_000; count() > expected && performance.now() < end;) await sleep(20)
  if (count() !== expected) found['processes'] = `${count()} instead of ${expected}`
  return found
}

/** Who answers through the reverse proxy. */
async function answerOf({ settings }: ManagerContext, name: string, pids: readonly number[]): Promise<string> {
  const { baseUrl, proxy } = settings.global
  const headers = { Host: `${name}.${new URL(baseUrl).hostname}` }
  const answer = await new Promise<string>((resolve, reject) => {
    get({ host: '127.0.0.1', port: proxy.httpPort, path: '/health', agent: false, headers }, (response) => {
      text(response).then(resolve, reject)
    }).once('error', reject)
  })
  const pid = /^pid=(\d+)$/m.exec(answer)?.[1]
  return pid !== undefined && pids.includes(Number(pid)) ? 'itself' : `${pid ?? answer} instead of ${pids.join()}`
}

/** A supervisor's `sleep`, which ends with it. */
function isGuest(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep')
  } catch {
    return true
  }
}

/** Paths; those of folders end in a slash. */
function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (unsettled.has(entry.name) || /\.db-(wal|shm|journal)$/.test(entry.name)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      yield `${path}/`
      yield* walk(`${path}/`)
    } else yield path
  }
}

function contentOf(path: string): string {
  if (path.endsWith('/')) return ''
  if (path.endsWith('.db')) return dumpOf(path)
  if (lstatSync(path).isSymbolicLink()) return readlinkSync(path)
  const content = readFileSync(path)
  return content.length > 4000 ? createHash('sha256').update(content).digest('hex') : content.toString()
}

/** Rows, not pages: a database that was copied has the same. */
function dumpOf(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 60_000 })
  try {
    const tables = database.prepare(`select name, sql from sqlite_schema where type = 'table' order by name`).all()
    return JSON.stringify(
      tables.map(({ name, sql }) => [sql, database.prepare(`select * from "${String(name)}"`).all()]),
    )
  } finally {
    database.close()
  }
}
