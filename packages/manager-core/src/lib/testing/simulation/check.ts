import { basename, dirname } from 'node:path'
import { verifyHistory } from '../../history/verify-history.js'
import { sqlite } from '../../store/sqlite.js'
import { behaviourOf } from './applications.js'
import { existsSync, lstatSync, readdirSync, readFileSync } from './files.js'
import { adminPassword } from './home.js'
import { query, registryOf, rowsOf, textOfFile, walk } from './look.js'
import { machine, secrets } from './machine.js'

/** A backup that was made, as its manifest said. */
export interface MadeBackup {
  readonly folder: string
  readonly instance: string
  /** ISO 8601 */
  readonly started: string
}

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

/** Backups that are there, complete. */
export function backupsIn(folder: string): readonly MadeBackup[] {
  return namesIn(`${folder}/save`).flatMap((name) =>
    namesIn(`${folder}/save/${name}`).flatMap((id) => {
      const text = textOfFile(`${folder}/save/${name}/${id}/manifest.json`)
      if (text === undefined) return []
      const manifest = JSON.parse(text) as { readonly started: string; readonly instance: { readonly id: string } }
      return [{ folder: `${folder}/save/${name}/${id}`, instance: manifest.instance.id, started: manifest.started }]
    }),
  )
}

/** Whether something has been long enough in the trash. */
export function hasExpired(folder: string, now: number): boolean {
  return namesIn(`${folder}/trash`).some((name) => {
    const text = textOfFile(`${folder}/trash/${name}/trash.json`)
    return text !== undefined && Date.parse((JSON.parse(text) as { readonly expires: string }).expires) <= now
  })
}

/** Operations that have not ended, with what they say. */
export function unended(folder: string): readonly string[] {
  const rows = query(
    folder,
    `select title, state, message from operation where state not in ('succeeded', 'rolled_back')`,
  )
  return rows.map(({ title, state, message }) => `${String(title)}: ${String(state)}, ${String(message)}`)
}

/**
 * What must be true whenever nothing runs and all was recovered.
 *
 * @param made every backup that ever was there
 * @param kept how many of an instance are kept
 */
export async function problemsOf(
  folder: string,
  made: ReadonlyMap<string, MadeBackup>,
  kept: number,
): Promise<readonly string[]> {
  const paths = [...walk(folder)]
  return [
    ...lockProblems(folder),
    ...(await historyProblems(folder)),
    ...addressProblems(folder),
    ...leaks(folder, paths),
    ...dataProblems(folder),
    ...accountProblems(folder, paths),
    ...backupProblems(made, kept),
    ...secretProblems(folder, paths),
  ]
}

function lockProblems(folder: string): readonly string[] {
  return [...machine.locks.keys()].map((path) => `The lock ${path.slice(folder.length + 1)} is held.`)
}

async function historyProblems(folder: string): Promise<readonly string[]> {
  const { faults } = await verifyHistory({ [sqlite]: registryOf(folder) })
  return faults.map(({ id, problem }) => `History ${id}: ${problem}`)
}

function addressProblems(folder: string): readonly string[] {
  const rows = rowsOf(folder)
  const twice = (values: readonly unknown[]) => values.filter((value, at) => values.indexOf(value) !== at)
  const ports = [
    ...rows.map(({ port }) => port),
    ...query(folder, 'select port from reserved_port').map((row) => row['port']),
  ]
  return [
    ...twice(ports).map((port) => `Port ${String(port)} is given twice.`),
    ...twice(rows.map(({ name }) => name.toLowerCase())).map((name) => `The name ${String(name)} is given twice.`),
  ]
}

/** Folders, files, databases, processes and ports without an owner. */
function leaks(folder: string, paths: readonly string[]): readonly string[] {
  const ids = new Set(rowsOf(folder).map(({ id }) => id))
  const trash = namesIn(`${folder}/trash`)
  const owners = [
    ...namesIn(`${folder}/instances`).map((name) => `${folder}/instances/${name}`),
    ...trash.map((name) => `${folder}/trash/${name}`),
  ]
  const texts = owners.flatMap((owner) => [textOfFile(`${owner}/settings.sh`), textOfFile(`${owner}/trash.json`)])
  const named = new Set(texts.flatMap((text) => text?.match(/steward_\w+/g) ?? []))
  const { databases, users, instances } = machine.state
  const open = unended(folder).length > 0
  const temporary = paths.filter((path) => {
    const name = basename(path)
    return (
      (/^\.(?!application-server|revisions$)/.test(name) && !isStatusOfBackup(path) && !isTidied(path)) ||
      (/\.(part|new|tmp)$/.test(name) && !isTidied(path))
    )
  })
  return [
    ...namesIn(`${folder}/instances`)
      .filter((name) => !ids.has(name) && !(open && name.startsWith('.')))
      .map((name) => `instances/${name} does not belong to any instance.`),
    ...[...ids]
      .filter((id) => !open && !existsSync(`${folder}/instances/${id}`))
      .map((id) => `instances/${id} is gone.`),
    ...trash
      .filter((name) => !existsSync(`${folder}/trash/${name}/trash.json`))
      .map((name) => `trash/${name} is no entry.`),
    ...(open
      ? []
      : [
          ...[...databases.keys()].filter((name) => !named.has(name)).map((name) => `The database ${name} is leaked.`),
          ...[...users.keys()].filter((name) => !named.has(name)).map((name) => `The user ${name} is leaked.`),
          ...temporary.map((path) => `${path.slice(folder.length + 1)} was left.`),
          ...query(folder, 'select port from reserved_port').map(({ port }) => `Port ${String(port)} stays reserved.`),
          ...backupFolders(folder).map((path) => `${path} was left.`),
        ]),
    ...[...instances].filter(([, { isSuspended }]) => isSuspended).map(([key]) => `${key} stays suspended.`),
    ...[...instances]
      .filter(([key, { state }]) => state === 'started' && !ids.has(key.split('/')[0] ?? ''))
      .map(([key]) => `${key} runs and is no instance.`),
  ]
}

/** What a killed process was writing that the next one removes which writes there. */
function isTidied(path: string): boolean {
  const [, backup] = /^\.(.*)\.status\.json\.\d+\.part$/.exec(basename(path)) ?? []
  const isOfBackup = backup !== undefined && existsSync(`${dirname(path)}/${backup}/manifest.json`)
  return isOfBackup || /\/proxy\/(live|state\.json)\.new$|\/registry\/\.work-|\/templates\/\.fetch-/.test(path)
}

/** What is known of a backup stays as long as there are copies of it. */
function isStatusOfBackup(path: string): boolean {
  const [, backup] = /^\.(.*)\.status\.json$/.exec(basename(path)) ?? []
  if (backup === undefined) return false
  return existsSync(`${dirname(path)}/${backup}/manifest.json`) || (textOfFile(path) ?? '').includes('"copies":{"')
}

/** Those without a manifest. */
function backupFolders(folder: string): readonly string[] {
  return namesIn(`${folder}/save`).flatMap((name) =>
    namesIn(`${folder}/save/${name}`).flatMap((id) =>
      id.startsWith('.') || existsSync(`${folder}/save/${name}/${id}/manifest.json`) ? [] : [`save/${name}/${id}`],
    ),
  )
}

/** Each instance has its database, and the password that opens it. */
function dataProblems(folder: string): readonly string[] {
  if (unended(folder).length > 0) return []
  const { databases, users, instances } = machine.state
  return rowsOf(folder).flatMap(({ id, name, desired, observed }) => {
    const settings = textOfFile(`${folder}/instances/${id}/settings.sh`) ?? ''
    const [database = ''] = settings.match(/steward_\w+/g) ?? []
    const found = databases.get(database)
    const app = `${folder}/instances/${id}/app`
    const runs = ['a', 'b'].filter((copy) => instances.get(`${id}/${copy}`)?.state === 'started').length
    const mayRun = behaviourOf(app).start !== 'fail'
    return [
      ...(found ? [] : [`${name} has no database ${database}.`]),
      ...(found && !settings.includes(users.get(found.user) ?? '(no user)') ? [`${name} has another password.`] : []),
      ...(existsSync(`${app}/app.yaml`) ? [] : [`${name} has no application.`]),
      ...(runs > 1 ? [`${name} runs twice.`] : []),
      ...(runs > 0 && observed === 'asleep' ? [`${name} runs, and is said to be asleep.`] : []),
      ...(runs === 0 && observed === 'started' ? [`${name} does not run, and is said to be started.`] : []),
      ...(runs > 0 && !mayRun && desired === 'stopped' ? [`${name} runs, and is to be stopped.`] : []),
    ]
  })
}

/** Each account is of one home, whose files that an instance writes are the account's, and all others the manager's. */
function accountProblems(folder: string, paths: readonly string[]): readonly string[] {
  const { accounts, isolates, instances } = machine.state
  if (!isolates || unended(folder).length > 0) return []
  const homes = ['instances', 'trash'].flatMap((name) => namesIn(`${folder}/${name}`).map((one) => `${name}/${one}`))
  const accountOf = new Map(
    homes.flatMap((home) => {
      const [name, uid, gid] = textOfFile(`${folder}/${home}/account`)?.trim().split(' ') ?? []
      return name === undefined ? [] : [[home, { name, uid: Number(uid), gid: Number(gid) }] as const]
    }),
  )
  const namesUsed = [...accountOf.values()].map(({ name }) => name)
  return [
    ...[...accounts.keys()].filter((name) => !namesUsed.includes(name)).map((name) => `The account ${name} is leaked.`),
    ...namesUsed
      .filter((name, at) => namesUsed.indexOf(name) !== at)
      .map((name) => `The account ${name} is of two instances.`),
    ...[...accountOf]
      .filter(([, { name, uid, gid }]) => accounts.get(name) !== uid || uid !== gid)
      .map(([home, { name }]) => `The account ${name} of ${home} is gone.`),
    ...paths.flatMap((path) => {
      const [, home = '', part = ''] = /^\/((?:instances|trash)\/[^/]+)\/([^/]*)/.exec(path.slice(folder.length)) ?? []
      const isItsOwn = ['app', 'data', 'logs'].includes(part)
      const account = accountOf.get(home)
      // What a restore keeps there is of the account of the instance, which may be gone.
      if (isItsOwn && !account && home.startsWith('trash/')) return []
      const wanted = (isItsOwn ? account?.uid : undefined) ?? 0
      const { uid } = lstatSync(path.replace(/\/$/, ''))
      return uid === wanted ? [] : [`${path.slice(folder.length + 1)} belongs to ${uid}, not to ${wanted}.`]
    }),
    ...(accounts.size === 0 ? [] : namesIn(folder))
      .filter((name) => !['instances', 'bin', 'servers', 'hooks'].includes(name))
      .filter((name) => (lstatSync(`${folder}/${name}`).mode & 0o077) !== 0)
      .map((name) => `${name} is open to accounts.`),
    ...[...instances]
      .filter(([, { state }]) => state === 'started')
      .flatMap(([key, { uid }]) => {
        const wanted = accountOf.get(`instances/${key.split('/')[0]}`)?.uid ?? 0
        return uid === wanted ? [] : [`${key} runs as ${uid}, not as ${wanted}.`]
      }),
  ]
}

/** For each instance, whatever it was called, the newest that were made are there. */
function backupProblems(made: ReadonlyMap<string, MadeBackup>, kept: number): readonly string[] {
  const ofInstances = Map.groupBy(made.values(), ({ instance }) => instance)
  return [...ofInstances].flatMap(([instance, backups]) =>
    backups
      .toSorted((a, b) => b.started.localeCompare(a.started) || b.folder.localeCompare(a.folder))
      .slice(0, kept)
      .filter((backup) => !existsSync(`${backup.folder}/manifest.json`))
      .map(
        (backup) => `The backup ${basename(dirname(backup.folder))}/${basename(backup.folder)} of ${instance} is lost.`,
      ),
  )
}

/** Passwords are in the settings of instances, which only their user reads, and nowhere else. */
function secretProblems(folder: string, paths: readonly string[]): readonly string[] {
  const files = paths.filter(
    (path) => !/\/$|\/(settings|config)\.sh$|\.zst$|-reserve$|\/app\//.test(path) && lstatSync(path).isFile(),
  )
  const wanted = [...secrets, adminPassword].filter((secret) => secret.length > 5)
  return files.flatMap((path) => {
    const content = readFileSync(path, 'latin1')
    return wanted.some((secret) => content.includes(secret))
      ? [`${path.slice(folder.length + 1)} has a password in it.`]
      : []
  })
}
