import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from './files.js'
import { isThrowAway } from '../../domain/instance.js'
import { machine, type Route } from './machine.js'
import { managersHost, settled } from './proxy.js'
import { sharedRegistry, sharedStatement } from './modules/sqlite.js'

/** All that a command may change but the history, without dates: two that are equal are the same state. */
export type Picture = Readonly<Record<string, string>>

export interface Row {
  readonly id: string
  readonly name: string
  readonly port: number
  readonly desired: string
  readonly protected: number
  readonly observed: string
  readonly custom_url: string
  readonly source: string
}

export function rowsOf(folder: string): readonly Row[] {
  return query(folder, 'select * from instance order by name') as unknown as Row[]
}

/** The registry of a home, until it is replaced. */
export function registryOf(folder: string): DatabaseSync {
  return sharedRegistry(`${folder}/manager.db`).connection
}

export function query(folder: string, sql: string): readonly Record<string, unknown>[] {
  const statement = sharedStatement(sharedRegistry(`${folder}/manager.db`), sql)
  statement.setReturnArrays(false)
  return statement.all()
}

/** What the next command tidies up is among it. */
const unsettled =
  /^\/proxy(\/|\.secret$)|\.status\.json\.\d+\.part$|\.removed\/|\/(logs|run|locks|registry|runs)\/|\/manager\.db|\.holder$/
/** They have dates in them. */
const dated = /\.zst$|manifest\.json$|trash\.json$|point\.json$|\.status\.json$/

const blur = (text: string) =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<date>')
    .replaceAll(/\d{8}T\d{6}Z/g, '<stamp>')
    .replaceAll(/(DATABASE_PASSWORD=).*/g, '$1<password>')

export function pictureOf(folder: string): Picture {
  const { databases, users, instances, serving, store, accounts, isolates } = machine.state
  const owners = new Map([...accounts].map(([account, id]) => [id, account]))
  const picture: Record<string, string> = {}
  for (const { id, ...row } of rowsOf(folder)) {
    const { updated: _updated, operation: _operation, ...rest } = row as unknown as Record<string, unknown>
    picture[`row ${id}`] = blur(JSON.stringify(rest))
  }
  for (const { port } of query(folder, 'select port from reserved_port')) picture[`reserved ${String(port)}`] = ''
  for (const [name, database] of databases) picture[`database ${name}`] = JSON.stringify(database)
  for (const name of users.keys()) picture[`user ${name}`] = ''
  for (const account of accounts.keys()) picture[`account ${account}`] = ''
  for (const [key, { state }] of instances) if (state === 'started') picture[`runs ${key}`] = state
  for (const [id, copy] of serving) if (copy !== 'a') picture[`serves ${id}`] = copy
  for (const key of store.keys()) if (!key.startsWith('_manager/')) picture[`stored ${blur(key)}`] = ''
  for (const path of walk(folder)) {
    const name = path.slice(folder.length)
    if (unsettled.test(name) || ['/instances/', '/trash/', '/save/', '/locks/', '/logs/'].includes(name)) continue
    const { uid } = isolates ? lstatSync(path.replace(/\/$/, '')) : { uid: 0 }
    const owner = uid === 0 ? '' : `of ${owners.get(uid) ?? uid}: `
    picture[blur(name)] = owner + (path.endsWith('/') || dated.test(name) ? '' : contentOf(path))
  }
  return picture
}

/** Where addresses lead, by their host and path. */
export function routesNow(): Picture {
  const { condition, configuration } = settled()
  if (condition === 'down') return {}
  return Object.fromEntries([...configuration.routes].map(([address, route]) => [address, textOf(route)]))
}

/** Where they should lead: to the manager, and to each instance at its standard address and its custom URL. */
export function routesWanted(folder: string): Picture {
  const wanted: Record<string, string> = { [managersHost]: textOf({ port: 8000, wakes: false }) }
  for (const row of rowsOf(folder)) {
    const { id, name, source, custom_url: url } = row
    // Sockets of this machine cannot be seen: what is recorded counts.
    const isStarted = row.desired === 'started' && row.observed !== 'stopped' && row.observed !== 'asleep'
    const port = isStarted ? row.port : undefined
    if (isThrowAway({ source })) continue
    const hosts = [`${name}.${managersHost}`, ...(url === '' ? [] : [new URL(url).host])]
    // What is only half there does not sleep.
    const wakes = existsSync(`${folder}/instances/${id}/settings.sh`)
    for (const host of hosts) wanted[host] = textOf({ port, instance: id, wakes })
  }
  return wanted
}

const textOf = ({ port, instance = 'the manager', wakes }: Route) =>
  `${instance} at ${port ?? 'no port'}${wakes ? ', woken' : ''}`

function contentOf(path: string): string {
  if (lstatSync(path).isSymbolicLink()) return readlinkSync(path)
  const content = readFileSync(path)
  return content.length > 2000 ? createHash('sha256').update(content).digest('hex') : blur(content.toString())
}

/** What is not the same; undefined: all is. */
export function difference(now: Picture, wanted: Picture): string | undefined {
  const keys = [...new Set([...Object.keys(now), ...Object.keys(wanted)])].filter((key) => now[key] !== wanted[key])
  if (keys.length === 0) return undefined
  return keys.map((key) => `${key}: ${now[key] ?? '(none)'} instead of ${wanted[key] ?? '(none)'}`).join('\n')
}

/** Paths of all files, folders (with a slash) and links below a folder. */
export function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) {
      yield `${path}/`
      yield* walk(path)
    } else yield path
  }
}

/** undefined: it is not there. */
export function textOfFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
