import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ManagerContext } from '../context.js'
import { cronJobs } from '../schedule/crontab.js'
import type { Job } from '../schedule/jobs.js'
import { unitFolder, unitJobs } from '../schedule/systemd.js'
import { globalTable } from '../settings/tables/global.js'
import { versionTable } from '../settings/tables/version.js'
import type { VariableTable } from '../settings/variable-values.js'
import type { VersionRow } from '../store/registry.js'
import type { ManagerManifest } from './manager-copy.js'
import { portableSettings, seemsSecret } from './portable-settings.js'

/** Files of a home that make a manager, apart from its registry. */
export interface LaidOut {
  /** Digest of what was laid out; another one: something changed. */
  readonly digest: string
  readonly schedule: ManagerManifest['schedule']
  readonly leftOut: readonly string[]
}

/** Where things are in what is laid out. */
export const laidOutAt = {
  settings: (folder: string) => join(folder, 'settings'),
  hooks: (folder: string) => join(folder, 'hooks'),
  templates: (folder: string) => join(folder, 'templates'),
  certificates: (folder: string) => join(folder, 'certificates'),
} as const

/**
 * Copies what another machine needs into an empty folder: settings of the manager and its versions, hooks, templates that
 * can be fetched from nowhere else, certificates.
 *
 * @param secrets also what is secret: it is going to be encrypted
 */
export async function layOutManager(
  context: ManagerContext,
  folder: string,
  { secrets }: { readonly secrets: boolean },
): Promise<LaidOut> {
  const { home } = context
  const leftOut: string[] = []
  const environment = context.settings.environment()
  const hash = createHash('sha256').update(String(secrets))
  const put = async (path: string, content: Buffer | string, mode: number) => {
    await writeFile(path, content, { mode })
    hash.update(`\0${path.slice(folder.length)}\0`).update(content)
  }
  for (const make of Object.values(laidOutAt)) await mkdir(make(folder), { recursive: true, mode: 0o700 })

  const names = (await readdir(home.folder)).filter((name) => name === 'config.sh' || /^version-.+\.sh$/.test(name))
  for (const name of names.toSorted()) {
    const text = await readFile(join(home.folder, name), 'utf8')
    const table: VariableTable = name === 'config.sh' ? globalTable : versionTable
    const clear = secrets ? { text, left: [] } : clearText(text, { table, shown: name, environment })
    leftOut.push(...clear.left.map((variable) => `${variable} (${name})`))
    await put(join(laidOutAt.settings(folder), name), clear.text, 0o600)
  }

  for (const name of (await namesIn(home.hooks)).toSorted()) {
    const path = join(home.hooks, name)
    const { mode, isFile } = await stat(path).then((stats) => ({ mode: stats.mode, isFile: stats.isFile() }))
    if (!isFile) continue
    const content = await readFile(path)
    if (!secrets && seemsSecret(content)) leftOut.push(`hooks/${name}`)
    else await put(join(laidOutAt.hooks(folder), name), content, mode & 0o777)
  }

  for (const row of context.registry.versions().filter(isOnlyHere)) {
    await cp(join(home.templates, row.folder), join(laidOutAt.templates(folder), row.version), {
      recursive: true,
      verbatimSymlinks: true,
    })
    hash.update(`\0${row.version}\0${row.revision}`)
  }

  if ((await namesIn(home.certificates)).length > 0) {
    if (!secrets) leftOut.push('certificates/')
    else {
      const files = await readdir(home.certificates, { recursive: true, withFileTypes: true })
      await cp(home.certificates, laidOutAt.certificates(folder), { recursive: true, verbatimSymlinks: true })
      for (const file of files) if (file.isFile()) hash.update(await readFile(join(file.parentPath, file.name)))
    }
  }

  const schedule = await scheduleOf(context)
  hash.update(JSON.stringify(schedule))
  return { digest: hash.digest('hex'), schedule, leftOut }
}

/** Templates in folders and archives of this machine, and those whose address needs a password that is left out. */
export function isOnlyHere({ location }: Pick<VersionRow, 'location'>): boolean {
  return location.startsWith('folder:') || location.startsWith('npm:file:') || location.includes('//***@')
}

interface ClearOptions {
  readonly table: VariableTable
  readonly shown: string
  readonly environment: Readonly<Record<string, string>>
}

/** Only variables that the manager knows, and that are no secrets; comments may hold anything. */
function clearText(text: string, { table, shown, environment }: ClearOptions) {
  const settings = portableSettings(text, { table, shown, environment: (name) => environment[name] ?? '' })
  return {
    text: settings.flatMap(({ isPlain, line }) => (isPlain ? [`${line}\n`] : [])).join(''),
    left: settings.flatMap(({ isPlain, name }) => (isPlain ? [] : [name])),
  }
}

async function scheduleOf({ home, settings }: ManagerContext): Promise<ManagerManifest['schedule']> {
  const environment = settings.environment()
  const isRoot = process.getuid?.() === 0
  const { systemUser } = settings.global
  const user = isRoot && systemUser !== 'root' ? systemUser : undefined
  const cron = await cronJobs(home.folder, { user, environment }).catch(() => [])
  const plain = (jobs: readonly Job[]) => jobs.map(({ name, time }) => ({ name, time }))
  if (cron.length > 0) return { by: 'cron', jobs: plain(cron) }
  const units = await unitJobs(home.folder, unitFolder(isRoot, environment)).catch(() => [])
  return units.length > 0 ? { by: 'systemd', jobs: plain(units) } : null
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}
