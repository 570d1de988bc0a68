import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { ManagerError } from '../../errors.js'
import { configuredVersions, type Home } from '../domain/home.js'
import { checkVersionName, compareVersions } from '../domain/versions.js'
import type { Settings } from '../settings/settings.js'
import type { Registry, VersionRow } from '../store/registry.js'
import type { Locks } from '../system/locks.js'
import { isPackageName, type Plugins } from '../system/plugins.js'
import { createFolderSource } from './folder-source.js'
import { createGitSource } from './git-source.js'
import { showLocation } from './location.js'
import { createNpmSource } from './npm-source.js'
import { unpackWar } from './unpack-war.js'
import { createRevisions } from './revisions.js'
import type {
  RefreshOptions,
  RefreshReport,
  TemplateSource,
  TemplateSourcePlugin,
  TemplateVersion,
  Templates,
} from './template-source.js'

export interface TemplatesOptions {
  readonly home: Home
  readonly settings: () => Settings
  readonly plugins: Plugins
  readonly registry: () => Registry
  readonly locks: () => Locks
  readonly clock: () => Date
  /** Absolute path of the template that ships with the manager, location `default`. */
  readonly defaultTemplate: string
  /** Whether the application of a folder can be served. @throws ManagerError with what is wrong with it */
  readonly check: (folder: string, version: string, signal: AbortSignal | undefined) => Promise<void>
}

type VersionReport = RefreshReport['versions'][number]

/**
 * Versions are the files `version-<version>.sh` of the home, each of which names its template; what was fetched is in
 * the registry, and in `templates/`.
 */
export function createTemplates(options: TemplatesOptions): Templates {
  const { home, settings, plugins, registry, locks, clock, defaultTemplate, check } = options
  const places = { base: home.folder, workFolder: home.templates }
  const sources: readonly TemplateSource[] = [
    createFolderSource(places),
    createGitSource(places),
    createNpmSource(places),
  ]
  const revisions = createRevisions(home.templates)

  const rows = () =>
    registry()
      .versions()
      .toSorted((a, b) => compareVersions(a.version, b.version))

  /** Those that were fetched and still have their file; `refresh` removes the others. */
  async function current(): Promise<readonly VersionRow[]> {
    const versions = new Set(await configured())
    return rows().filter(({ version }) => versions.has(version))
  }

  async function list(): Promise<readonly TemplateVersion[]> {
    const all = await current()
    const { defaultVersion = all.at(-1)?.version } = settings().global
    const looks = new Map(
      registry()
        .versionLooks()
        .map((look) => [look.version, look]),
    )
    return all.map((row) => {
      const { at: refreshed = row.fetched, problem = '' } = looks.get(row.version) ?? {}
      return { ...row, folder: revisions.path(row), isDefault: row.version === defaultVersion, refreshed, problem }
    })
  }

  async function get(version: string): Promise<TemplateVersion> {
    const all = await list()
    const found = all.find((one) => one.version === version)
    if (found) return found
    const shown = version.length > 40 ? `${version.slice(0, 40)}…` : version
    const there = all.map((one) => one.version).join(', ')
    const look = registry()
      .versionLooks()
      .find((one) => one.version === version)
    const isConfigured = (await configured()).includes(version)
    if (isConfigured && look && look.problem !== '')
      throw new ManagerError('ERR_TEMPLATE', `Version ${version} has no usable template: ${look.problem}`, {
        help: `Correct it, or set another one in version-${version}.sh, then run: manager refresh`,
        command: 'refresh',
      })
    throw new ManagerError('ERR_NOT_FOUND', `No version is named "${shown}".`, {
      help: there === '' ? 'No version has been fetched yet.' : `Versions: ${there}.`,
      command: there === '' ? 'refresh' : 'versions',
    })
  }

  /** Versions that have a file, in their order. */
  async function configured(): Promise<readonly string[]> {
    return configuredVersions(await readdir(home.folder)).toSorted(compareVersions)
  }

  /** That of `<package>:…`. @throws ManagerError ERR_TEMPLATE, ERR_SETTINGS */
  function sourceOfPackage(location: string, version: string): TemplateSource {
    const [name = ''] = location.split(':')
    const setting = `version-${version}.sh: APPS_TEMPLATE`
    const source = isPackageName(name)
      ? (plugins.load('templateSource', name, setting) as TemplateSourcePlugin).open({ ...places })
      : undefined
    if (source?.accepts(location)) return source
    throw new ManagerError('ERR_TEMPLATE', `${setting} cannot be "${showLocation(location)}".`, {
      help:
        'Use default, folder:<path>, git:<url>#<branch>, npm:<name>@<range>, or <package>:… of a package with a ' +
        'template source.',
    })
  }

  async function refreshVersion(
    version: string,
    { signal, onProgress, dryRun }: RefreshOptions,
  ): Promise<VersionReport> {
    const before = registry()
      .versions()
      .find((row) => row.version === version)
    try {
      checkVersionName(version)
      const { template: location } = await settings().version(version)
      if (location === undefined)
        throw new ManagerError('ERR_TEMPLATE', `version-${version}.sh has no APPS_TEMPLATE.`, {
          help: 'Set APPS_TEMPLATE to default, folder:<path>, git:<url>#<branch> or npm:<name>@<range>.',
        })
      onProgress?.(`Version ${version}: looking`)
      const place = location === 'default' ? `folder:${defaultTemplate}` : location
      const source = sources.find((one) => one.accepts(place)) ?? sourceOfPackage(place, version)
      const { revision, date } = await source.latest(place, signal)
      const shown = showLocation(location)
      if (before?.revision === revision && before.location === shown && existsSync(revisions.path(before)))
        return { version, result: 'unchanged', revision, date: before.date }
      const result = before ? 'updated' : 'new'
      if (dryRun) return { version, result, revision, date }

      onProgress?.(`Version ${version}: fetching`)
      const { folder, title } = await revisions.add(
        version,
        revision,
        async (to) => {
          await source.fetch(place, { revision, date }, to, signal)
          await unpackWar(to, signal)
        },
        (draft) => check(draft, version, signal),
      )
      const now = clock()
      const row: VersionRow = {
        version,
        title,
        location: shown,
        revision,
        folder,
        date: laterDate(date, before?.date, now),
        fetched: now.toISOString(),
      }
      registry().transaction((writer) => writer.putVersion(row))
      await revisions.link(row)
      return { version, result, revision, date: row.date }
    } catch (error) {
      signal?.throwIfAborted()
      return { version, result: 'failed', error: explain(error) }
    }
  }

  return {
    list,
    async failed() {
      const fetched = new Set(rows().map(({ version }) => version))
      const versions = new Set(await configured())
      return registry()
        .versionLooks()
        .filter(({ version, problem }) => problem !== '' && versions.has(version))
        .map((look) => ({ ...look, isFetched: fetched.has(look.version) }))
    },
    get,
    async default() {
      const { defaultVersion } = settings().global
      const newest = (await current()).at(-1)?.version
      return get(defaultVersion ?? newest ?? '1.0')
    },
    async refresh(how = {}) {
      const { signal, waitMs = 0, actor = 'somebody', dryRun = false } = how
      const purpose = `refresh by ${actor}, process ${process.pid}, since ${clock().toISOString()}`
      return locks().with(['manager'], { purpose, waitMs, signal }, async () => {
        if (!dryRun) await revisions.tidy(registry().versions())
        const versions = await configured()
        const reports: VersionReport[] = []
        for (const version of versions) {
          const report = await refreshVersion(version, how)
          reports.push(report)
          const look = { version, at: clock().toISOString(), problem: report.error ?? '' }
          if (!dryRun) registry().transaction((writer) => writer.putVersionLook(look))
        }
        if (!dryRun) registry().transaction((writer) => writer.keepVersionLooks(versions))
        for (const row of rows().filter(({ version }) => !versions.includes(version))) {
          if (!dryRun) {
            registry().transaction((writer) => writer.deleteVersion(row.version))
            await revisions.unlink(row)
          }
          reports.push({ version: row.version, result: 'removed' })
        }
        return { versions: reports }
      })
    },
  }
}

/**
 * The date of a new revision is later than that of the one before, so that instances of that one are reported to be
 * upgraded; dates that say nothing (npm gives all files of a package one of 1985) are those of the fetch.
 */
function laterDate(date: string, before: string | undefined, now: Date): string {
  if (date > (before ?? '2000')) return date
  const after = before === undefined ? 0 : Date.parse(before) + 1000
  return new Date(Math.max(now.getTime(), after)).toISOString()
}

function explain(error: unknown): string {
  if (ManagerError.is(error)) return [error.message, error.help].filter(Boolean).join(' ')
  return error instanceof Error ? error.message : String(error)
}
