import { createWriteStream, existsSync, realpathSync } from 'node:fs'
import { mkdir, mkdtemp, symlink } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { accountAt } from '../accounts/account.js'
import { giveHome } from '../accounts/give.js'
import { bothOf } from '../accounts/program.js'
import { removeTree } from '../accounts/remove-tree.js'
import { visitTree } from '../accounts/visit-tree.js'
import { packInNode, sourceIn, type TarInput } from '../backup/packing/pack-in-node.js'
import type { ManagerContext } from '../context.js'
import { copyDatabase } from '../databases/copy-database.js'
import { databaseFiles } from '../databases/database-files.js'
import { copyDocuments } from '../documents/copy-documents.js'
import { dumpDatabase } from '../databases/dump-database.js'
import { instanceHomeAt, tokenKey } from '../domain/home.js'
import type { DumpKind } from '../databases/instance-database.js'
import type { Instance } from '../domain/instance.js'
import { Secret } from '../domain/secret.js'
import { isWebapp } from '../files/webapp.js'
import { fileError } from '../files/file-error.js'
import { packageClosure, packageFolderOf } from '../files/package-closure.js'
import { bringsServer, managersServer, ownServer } from '../servers/application-server.js'
import type { InstanceSettings } from '../settings/settings.js'
import { readme, startScript } from './start-script.js'
import { webappSources } from './webapp-sources.js'

export const downloadTypes = ['all', 'webapp', 'data', 'logs'] as const
export type DownloadType = (typeof downloadTypes)[number]

/** In an archive that is not complete: what is not in it. */
const leftOutFile = 'LEFT-OUT.txt'

export interface ArchiveOptions {
  readonly signal?: AbortSignal | undefined
  /** Takes what is not in it that a user must know of, in a sentence each. */
  readonly warn?: ((text: string) => void) | undefined
}

/**
 * A `.tar.gz` of an instance as it is read; it keeps running. The database is copied beside first, and that copy is
 * removed in the end, also of a reader that stops early. What is not in it stands in it, too, as programs and browsers get
 * nothing else.
 */
export async function* createArchive(
  context: ManagerContext,
  instance: Instance,
  type: DownloadType,
  { signal, warn }: ArchiveOptions = {},
): AsyncGenerator<Uint8Array> {
  const stage = await mkdtemp(join(context.home.folder, '.download-'))
  try {
    const { left, warnings } = await neverCopied(context, instance, type, signal)
    const missing = [...warnings]
    const packed = { context, instance, stage, signal, warn: (text: string) => void missing.push(text) }
    const { sources, without } = await sourcesOf(packed, type)
    missing.forEach((text) => warn?.(text))
    const list = missing.map((text) => `${text}\n`).join('')
    const note: TarInput = { target: `${instance.name}/${leftOutFile}`, content: list, mode: 0o644 }
    const isLeftOut = (path: string) => left.has(path) || without(path)
    const inputs = missing.length === 0 ? sources : [note, ...sources]
    const { content, done } = packInNode(inputs, { isLeftOut, anonymous: true })
    const gzip = createGzip()
    const packing = bothOf(pipeline(content, gzip, signal ? { signal } : {}), done)
    packing.catch(() => undefined)
    yield* gzip
    await packing
  } catch (error) {
    throw fileError(error, `Cannot pack "${instance.name}"`)
  } finally {
    await removeTree(stage, accountAt(stage))
  }
}

/** Absolute paths of what is in no copy of an instance, and what of them a user must know. @throws ManagerError ERR_FAILED, see `visitTree` */
async function neverCopied(
  { home, settings }: ManagerContext,
  { id }: Instance,
  type: DownloadType,
  signal: AbortSignal | undefined,
): Promise<{ readonly left: ReadonlySet<string>; readonly warnings: readonly string[] }> {
  const entries: readonly string[] = { all: ['app', 'data'], webapp: ['app'], data: ['data'], logs: [] }[type]
  const { folder, data } = home.instance(id)
  const known = entries.includes('data') ? leftOut(folder, data, await settings.instance(folder)) : []
  const without = [...known].map((path) => relative(folder, path))
  const survey = await visitTree({ folder, entries, without, reader: accountAt(folder), signal })
  return { left: new Set(survey.leftOut.map((path) => join(folder, path))), warnings: survey.warnings }
}

interface Packing {
  readonly context: ManagerContext
  readonly instance: Instance
  /** Temporary. */
  readonly stage: string
  readonly signal: AbortSignal | undefined
  readonly warn: (text: string) => void
}

interface Sources {
  readonly sources: TarInput[]
  /** Absolute paths that stay out. */
  without(path: string): boolean
}

async function sourcesOf(packing: Packing, type: DownloadType): Promise<Sources> {
  const { context, instance } = packing
  const { folder, app, data, logs } = context.home.instance(instance.id)
  const of = sourceIn(folder, accountAt(folder))
  const from = (source: string, target: string): TarInput => ({
    source,
    ...of,
    target: `${instance.name}/${target}`,
  })
  const nothing = () => false
  switch (type) {
    case 'logs':
      return { sources: [from(logs, 'logs')], without: nothing }
    case 'webapp':
      return { sources: [from(app, 'app')], without: nothing }
    case 'data': {
      const { sources, without } = await dataSources(packing, 'vendor')
      return { sources: [from(data, 'data'), ...sources], without }
    }
    case 'all': {
      if (isWebapp(app)) {
        const { sources, without } = await dataSources(packing, 'vendor')
        const target = sources[0]?.target.slice(instance.name.length + 1)
        const dump = target?.startsWith('data/') ? undefined : target
        return {
          sources: [from(data, 'data'), ...sources, ...(await webappSources(context, instance, { of, dump }))],
          without,
        }
      }
      const { sources, without } = await dataSources(packing, 'embedded')
      return {
        sources: [from(data, 'data'), ...sources, from(app, 'app'), ...serverSources(packing)],
        without: (path) => without(path) || isSuperfluous(path, app),
      }
    }
  }
}

/** The database as a file of its own, in place of those that it is in; `embedded`: as one of SQLite, whatever it is. */
async function dataSources({ context, instance, stage, signal, warn }: Packing, wanted: 'vendor' | 'embedded') {
  const { folder, app, data } = context.home.instance(instance.id)
  const settings = await context.settings.instance(folder)
  const left = leftOut(folder, data, settings)
  const account = accountAt(folder)
  const made = instanceHomeAt(stage)
  const file = join(made.data, 'database.db')
  const from = { folder, settings }
  let target = 'data/database.db'
  await mkdir(made.data)
  if (wanted === 'embedded') {
    // Its application may have to write the copy.
    if (account) await giveHome(made, account)
    else await symlink(app, made.app)
    const embedded = {
      ...settings,
      database: 'sqlite' as const,
      databaseName: relative(stage, file),
      databaseUser: '',
      databasePassword: new Secret(''),
    }
    const to = { folder: stage, settings: embedded }
    await context.databases.server('sqlite').create(context.databases.account(stage, embedded))
    await copyDatabase(context, { from, to }, { signal, warn })
  } else {
    const dump = await dumpDatabase(context, from, { signal })
    const writing = pipeline(dump.content, createWriteStream(file, { mode: 0o600 }), signal ? { signal } : {})
    await Promise.all([writing, dump.done])
    dump.warnings?.forEach((text) => warn(text))
    if (dump.kind !== 'sqlite') target = `database.${dump.kind}${endingOf(context, dump.kind)}`
  }
  // Beside the folder of the account, which could put a link there while it is written.
  const documents = join(stage, 'documents')
  if (settings.documents !== undefined)
    await copyDocuments(context, { place: settings.documents }, { folder: documents }, { signal })
  const source: TarInput = {
    source: file,
    target: `${instance.name}/${target}`,
    ...sourceIn(stage, wanted === 'embedded' ? account : undefined),
  }
  const found: TarInput[] = existsSync(documents)
    ? [{ source: documents, target: `${instance.name}/data/documents`, root: stage }]
    : []
  return { sources: [source, ...found], without: (path: string) => left.has(path) }
}

/** Dumps of programs are SQL. */
function endingOf({ databases }: Pick<ManagerContext, 'databases'>, kind: DumpKind): string {
  if (kind === 'portable') return ''
  return databases.server(kind).capabilities.toolDumps ? '.sql' : '.jsonl'
}

/** With the key of tokens, anyone could make some. */
function leftOut(folder: string, data: string, settings: InstanceSettings): ReadonlySet<string> {
  const database = databaseFiles(folder, settings).map((path) => join(folder, path))
  return new Set([...database, join(folder, tokenKey), join(data, 'tmp')])
}

/** The application server with all it needs, a script that starts it, and a page about it. */
export function serverSources({ context, instance }: Pick<Packing, 'context' | 'instance'>): TarInput[] {
  const { name, version } = instance
  const { app } = context.home.instance(instance.id)
  // It comes with the application; nothing that is said there decides what is read here.
  const program = bringsServer(app) ? undefined : realpathSync(managersServer(context, app))
  const closure = program === undefined ? [] : packageClosure(program)
  const [first] = closure
  const server =
    program !== undefined && first
      ? join(first.place, relative(packageFolderOf(program), program))
      : join('app', ownServer)
  const options = { name, version, date: context.clock().toISOString(), server }
  return [
    ...closure.flatMap(({ folder, place, files }) =>
      (files ?? ['.']).flatMap((file): TarInput[] => {
        const source = join(folder, file)
        if (!existsSync(source)) return []
        const target = join(name, place, file)
        return [{ source, target, root: folder }]
      }),
    ),
    { target: `${name}/start.sh`, content: startScript(options), mode: 0o755 },
    { target: `${name}/README.md`, content: readme(options), mode: 0o644 },
  ]
}

/** In packages: what is not run, and packages in them, which have places of their own. */
function isSuperfluous(path: string, app: string): boolean {
  if (path.startsWith(app)) return false
  return /(?:\.map|\.d\.[cm]?ts)$|\/better-sqlite3\/(?:deps|src)$/.test(path) || basename(path) === 'node_modules'
}
