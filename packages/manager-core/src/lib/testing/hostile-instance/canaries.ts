import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { accountAt, type SystemAccount } from '../../accounts/account.js'
import { findAccount } from '../../accounts/find-account.js'
import { homeAt, type Home } from '../../domain/home.js'
import { refOf } from '../../runtime/instance-ref.js'
import { listPids, statOf, uidOf } from '../../system/process-table.js'
import type { TestManager } from '../create-test-manager.js'
import { fakeApplicationServer } from '../fake-application.js'
import type { Call } from './operator.js'
import type { Place } from './run-as.js'

/** What no instance may reach, and whether one did. */
export interface Canaries {
  /** Where attacks of this instance run. */
  place(name: string): Place
  /** The call with absolute paths for files: what it reads, and a place for what it sends, which is looked at. */
  located(call: Call): Call
  /** What has come of it, since the last call, in plain words. @param answers of the manager */
  harms(answers: readonly unknown[]): Promise<readonly string[]>
  /** Puts all back as it was. */
  restore(): Promise<void>
}

/** Name of the instance that is attacked. */
export const other = 'other'
/** Name of an instance that operations stop and start. */
export const neighbour = 'neighbour'

/** With an instance `other` that runs and has secrets of its own. */
export async function placeCanaries(test: TestManager): Promise<Canaries> {
  const canary = `canary-${randomBytes(8).toString('hex')}`
  const { home } = test.context
  const private_ = join(test.folder, 'private')
  const marks = join(test.folder, 'marks')
  const victim = join(private_, 'victim')
  const secret = join(private_, 'secret')
  const outputs = join(test.folder, 'outputs')
  chmodSync(test.folder, 0o711)
  for (const folder of [private_, outputs]) mkdirSync(folder, { mode: 0o700 })
  mkdirSync(marks)
  chmodSync(marks, 0o777)
  appendFileSync(home.config, `# ${canary}-config\n`)
  for (const name of [other, neighbour]) await test.perform('add', { name })
  const folder = test.path(other)
  const { uid, gid, name: accountName } = accountAt(folder) as SystemAccount
  appendFileSync(join(folder, 'settings.sh'), `# ${canary}-settings\n`)
  const documents = join(folder, 'data', 'documents')
  mkdirSync(documents)
  writeFileSync(join(documents, 'canary.txt'), `${canary}-document\n`)
  appendFileSync(
    join(folder, 'logs', 'application.log'),
    `{"time":${Date.now()},"msg":"request","status":200,"method":"GET","url":"/${canary}-log"}\n`,
  )
  for (const path of [documents, join(documents, 'canary.txt')]) chownSync(path, uid, gid)
  const settings = await Promise.all([other, neighbour].map((name) => test.context.settings.instance(test.path(name))))
  const secrets = [canary, ...settings.flatMap((each) => [each.adminPassword.reveal(), each.password.reveal()])]
  placeVictim()
  execFileSync('cp', ['-a', join(folder, 'data'), private_])
  writeFileSync(join(private_, 'rules.yaml'), 'locale: en\ndocuments: keep\nobjects: {}\n')
  writeFileSync(`${marks}.evil`, `touch "${marks}/environment"\n`, { mode: 0o755 })
  const instance = test.instance(other)
  const observed = await test.context.runtimes.of(instance).observe(refOf(test.context, instance))
  const { pids } = observed
  const before = new Map<string, string>()
  look()

  function placeVictim(): void {
    rmSync(victim, { recursive: true, force: true })
    mkdirSync(victim, { mode: 0o700 })
    for (const file of ['precious.txt', '1', '2', '3'])
      writeFileSync(join(victim, file), `${canary}-victim\n`, { mode: 0o600 })
    writeFileSync(secret, `${canary}-secret\n`, { mode: 0o600 })
  }

  /** Paths that no operation on another instance changes. */
  function guarded(): readonly string[] {
    return [
      ...treeOf(private_),
      ...['app', 'data'].flatMap((part) => treeOf(join(folder, part))),
      ...[folder, join(folder, 'settings.sh'), join(folder, 'account')],
      ...[home.config, '/etc/passwd', '/etc/shadow', '/'],
    ]
  }
  function look(): void {
    before.clear()
    for (const path of guarded()) before.set(path, stateOf(path))
  }
  function changes(): readonly string[] {
    const now = new Map(guarded().map((path) => [path, stateOf(path)]))
    return [...new Set([...before.keys(), ...now.keys()])].flatMap((path) =>
      before.get(path) === now.get(path)
        ? []
        : [`${path} was changed: ${before.get(path) ?? 'not there'} → ${now.get(path) ?? 'gone'}`],
    )
  }

  function marksLeft(): readonly string[] {
    return readdirSync(marks).flatMap((name) => {
      const { uid: by } = lstatSync(join(marks, name))
      rmSync(join(marks, name), { recursive: true })
      return by === 0 || by === uid ? [`code of the instance ran as ${by === 0 ? 'root' : other}: ${name}`] : []
    })
  }

  function foundIn(what: string, content: Buffer): readonly string[] {
    return secrets.some((each) => plain(content).includes(each)) ? [`a secret is in ${what}`] : []
  }

  /** Folders with what belongs to attackers. */
  function theirs(): readonly string[] {
    const within = (folder: string, without: string) =>
      existsSync(folder)
        ? readdirSync(folder)
            .filter((name) => name !== without)
            .map((name) => join(folder, name))
        : []
    return [
      ...homes().flatMap((at) => [
        ...within(at.instances, instance.id).flatMap((each) => ['app', 'data', 'logs'].map((part) => join(each, part))),
        ...within(at.trash, ''),
        ...within(join(at.folder, 'save'), other),
      ]),
      outputs,
    ]
  }

  /** That of the manager, and those that were recovered beside it. */
  function homes(): readonly Home[] {
    const names = readdirSync(test.folder).filter((name) => name.startsWith('home'))
    return names.map((name) => homeAt(join(test.folder, name)))
  }

  function wrongFiles(): readonly string[] {
    return theirs().flatMap((top) =>
      treeOf(top).flatMap((path) => {
        const stats = statsOf(path)
        if (!stats) return []
        const shown = path.slice(test.folder.length)
        const found = [
          ...(stats.isBlockDevice() || stats.isCharacterDevice() ? [`${shown} is a device`] : []),
          ...(stats.isFile() && (stats.mode & 0o6000) !== 0 && (stats.uid === 0 || stats.uid === uid)
            ? [`${shown} runs with the rights of user ${stats.uid}`]
            : []),
          ...(stats.uid === uid ? [`${shown} belongs to ${other}`] : []),
          // The one of root is read by its name only.
          ...(stats.isFile() && stats.size < 1e6 ? foundIn(shown, readFileSync(path)) : []),
        ]
        // It is reported once.
        if (found.length > 0) rmSync(path)
        return found
      }),
    )
  }

  async function wrongProcesses(): Promise<readonly string[]> {
    // First, as the manager may let those continue that it looks at.
    const isRunning = pids.every((pid) => !['T', undefined].includes(statOf(pid)?.state))
    const now = await test.context.runtimes.of(instance).observe(refOf(test.context, instance))
    const known = new Set(accountsInUse())
    return [
      ...(isRunning && now.state === 'started' ? [] : [`processes of ${other} were ended or stopped`]),
      ...(findAccount(accountName)?.uid === uid ? [] : [`the account of ${other} was removed`]),
      ...listPids().flatMap((pid) => {
        const owner = uidOf(pid)
        if (owner === undefined || !everSeen.has(owner) || known.has(owner) || statOf(pid) === undefined) return []
        // The number may be the one of another account of this machine now.
        return isOfTest(pid, test.folder) ? [`process ${pid} of an account that was removed still runs`] : []
      }),
    ]
  }
  const everSeen = new Set<number>()
  function accountsInUse(): readonly number[] {
    const folders = [
      ...readdirSync(home.instances).map((id) => join(home.instances, id)),
      ...(existsSync(home.trash) ? readdirSync(home.trash).map((entry) => join(home.trash, entry)) : []),
    ]
    return folders.flatMap((each) => accountAt(each)?.uid ?? [])
  }

  return {
    located: ({ action, input = {}, file }) => ({
      action,
      input:
        typeof input['anonymise'] === 'string' ? { ...input, anonymise: join(private_, input['anonymise']) } : input,
      ...(file !== undefined && { file: join(outputs, file) }),
    }),
    place(name) {
      const own = test.path(name)
      const account = accountAt(own)
      if (!account) throw new Error(`"${name}" has no account.`)
      everSeen.add(account.uid)
      return {
        folder: own,
        account,
        environment: {
          SECRET: secret,
          VICTIM: victim,
          OTHER: folder,
          CONFIG: home.config,
          MARKS: marks,
          PORT: String(test.instance(name).port),
          OTHER_PORT: String(instance.port),
          NEIGHBOUR_PORT: String(test.instance(neighbour).port),
          OTHER_PID: String(pids[0] ?? 1),
          SERVER: 'application-server',
          FAKE_SERVER: fakeApplicationServer,
        },
      }
    },
    async harms(answers) {
      const found = [
        ...changes(),
        ...marksLeft(),
        ...foundIn('an answer of the manager', Buffer.from(JSON.stringify(answers))),
        ...wrongFiles(),
        ...(await wrongProcesses()),
      ]
      for (const output of readdirSync(outputs)) rmSync(join(outputs, output), { recursive: true })
      return [...new Set(found)]
    },
    async restore() {
      placeVictim()
      rmSync(join(folder, 'data'), { recursive: true, force: true })
      execFileSync('cp', ['-a', join(private_, 'data'), folder])
      look()
    },
  }
}

function isOfTest(pid: number, folder: string): boolean {
  try {
    return ['cmdline', 'environ'].some((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(folder))
  } catch {
    return false
  }
}

function statsOf(path: string) {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

/** The folder and all below it; links are not followed. */
function treeOf(folder: string): readonly string[] {
  const stats = statsOf(folder)
  if (!stats) return []
  if (!stats.isDirectory()) return [folder]
  return [folder, ...readdirSync(folder).flatMap((name) => treeOf(join(folder, name)))]
}

function stateOf(path: string): string {
  const stats = statsOf(path)
  if (!stats) return 'gone'
  const { mode, uid, gid, size } = stats
  // What is in a folder is looked at itself, and accounts come and go.
  if (path.startsWith('/etc/') || path === '/') return `${mode} ${uid} ${gid}`
  const content = stats.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 8) : ''
  const target = stats.isSymbolicLink() ? readlinkSync(path) : ''
  return [mode.toString(8), uid, gid, stats.isDirectory() ? '' : size, content, target].join(' ')
}

/** What is in it when it is compressed. */
function plain(content: Buffer): Buffer {
  try {
    if (content.readUInt16BE(0) === 0x1f8b) return gunzipSync(content)
    if (content.readUInt32LE(0) === 0xfd2fb528) return zstdDecompressSync(content)
  } catch {
    // Cut off, or not compressed.
  }
  return content
}
