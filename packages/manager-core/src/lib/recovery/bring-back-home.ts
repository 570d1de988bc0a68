import { existsSync } from 'node:fs'
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ManagerContext } from '../context.js'
import { writePrivateFile } from '../files/write-private-file.js'
import { defaultUrl, firstVersionText } from '../settings/make-home.js'
import { globalTable } from '../settings/tables/global.js'
import { versionTable } from '../settings/tables/version.js'
import type { VersionRow } from '../store/registry.js'
import { createRevisions } from '../templates/revisions.js'
import { laidOutAt } from './lay-out-manager.js'
import type { ManagerManifest } from './manager-copy.js'
import { portableSettings } from './portable-settings.js'
import { recovered, type Recovered } from './recovered.js'

export interface BringBackOptions {
  /** Where the files of the copy were unpacked. */
  readonly folder: string
  readonly manifest: ManagerManifest
  /** As the saved registry has them. */
  readonly versions: readonly VersionRow[]
  /** Only returns what would be done. */
  readonly dryRun: boolean
}

/**
 * Brings settings, hooks, certificates and templates back; nothing that is here is overwritten. May be repeated.
 */
export async function bringBackHome(context: ManagerContext, options: BringBackOptions): Promise<readonly Recovered[]> {
  return [
    await mergeConfig(context, options),
    ...(await versionFiles(context, options)),
    ...(await hooks(context, options)),
    ...(await certificates(context, options)),
    ...(await missingSettings(context, options)),
    ...(await refresh(context, options)),
  ]
}

/** What is set here stays; the rest is appended. */
async function mergeConfig(
  context: ManagerContext,
  { folder, manifest, dryRun }: BringBackOptions,
): Promise<Recovered> {
  const { home } = context
  const environment = context.settings.environment()
  const read = (text: string, shown: string) =>
    portableSettings(text, { table: globalTable, shown, environment: (name) => environment[name] ?? '' })
  const before = await readFile(home.config, 'utf8')
  const here = new Map(read(before, 'config.sh').map((one) => [one.name, one]))
  const saved = read(await readFile(join(laidOutAt.settings(folder), 'config.sh'), 'utf8'), 'config.sh of the copy')
  // `init` gives a home an address before the real one is known.
  const isFirstUrl = context.settings.global.baseUrl === defaultUrl && saved.some(({ name }) => name === 'APPS_BASEURL')
  const isWanted = (name: string) => !here.has(name) || (isFirstUrl && ['APPS_BASEURL', 'APPS_SSL'].includes(name))
  const lines = saved.filter(({ name, line }) => isWanted(name) && here.get(name)?.line !== line)
  const withoutSsl = isFirstUrl && here.has('APPS_SSL') && !saved.some(({ name }) => name === 'APPS_SSL')
  const taken = [...lines.map(({ line }) => line), ...(withoutSsl ? ['export APPS_SSL='] : [])]
  const differing = saved.filter(({ name, line }) => !isWanted(name) && here.get(name)?.line !== line)
  const kept =
    differing.length === 0 ? '' : ` These keep their values here: ${differing.map(({ name }) => name).join(', ')}.`
  if (taken.length === 0) return recovered('settings', 'config.sh', 'there', kept.trimStart())
  const { host, home: from } = manifest.manager
  const text = `${before.trimEnd()}\n\n# Of the copy of ${host}:${from}, ${manifest.started}.\n${taken.join('\n')}\n`
  if (!dryRun) {
    await writePrivateFile(home.config, text)
    try {
      void context.settings.global
    } catch (error) {
      await writePrivateFile(home.config, before)
      return recovered('settings', 'config.sh', 'failed', `It is unchanged: ${(error as Error).message}`)
    }
  }
  return recovered('settings', 'config.sh', 'restored', `${taken.length} variables.${kept}`)
}

async function versionFiles({ home }: ManagerContext, { folder, dryRun }: BringBackOptions) {
  const rows: Recovered[] = []
  const names = (await readdir(laidOutAt.settings(folder))).filter((name) => name !== 'config.sh')
  for (const name of names.toSorted()) {
    const content = await readFile(join(laidOutAt.settings(folder), name), 'utf8')
    const file = join(home.folder, name)
    const here = existsSync(file) ? await readFile(file, 'utf8') : undefined
    const [, version = ''] = /^version-(.+)\.sh$/.exec(name) ?? []
    if (here === content) rows.push(recovered('version', version, 'there'))
    else if (here !== undefined && here !== firstVersionText) {
      const message = `${name} exists here with other contents. It stays; the backup of it is ${name}.recovered.`
      if (!dryRun && !isSame(here, content, name)) await writePrivateFile(`${file}.recovered`, content)
      rows.push(recovered('version', version, 'there', isSame(here, content, name) ? '' : message))
    } else {
      if (!dryRun && here !== undefined) await rename(file, `${file}.before-recovery`)
      if (!dryRun) await writePrivateFile(file, content)
      rows.push(recovered('version', version, 'restored'))
    }
  }
  return rows
}

/** Whether two files of a version set the same. */
function isSame(a: string, b: string, shown: string): boolean {
  const [one, other] = [a, b].map((text) =>
    portableSettings(text, { table: versionTable, shown, environment: () => '' })
      .map(({ line }) => line)
      .toSorted()
      .join('\n'),
  )
  return one === other
}

async function hooks({ home }: ManagerContext, { folder, dryRun }: BringBackOptions) {
  const rows: Recovered[] = []
  for (const name of (await readdir(laidOutAt.hooks(folder))).toSorted()) {
    const saved = join(laidOutAt.hooks(folder), name)
    const file = join(home.hooks, name)
    if (existsSync(file)) {
      const same = (await readFile(file)).equals(await readFile(saved))
      rows.push(recovered('hook', name, 'there', same ? '' : 'It differs from the copy, and stays.'))
      continue
    }
    if (!dryRun) {
      await mkdir(home.hooks, { recursive: true, mode: 0o700 })
      await writeFile(file, await readFile(saved), { flag: 'wx' })
      await chmod(file, (await lstat(saved)).mode & 0o777)
    }
    rows.push(recovered('hook', name, 'restored'))
  }
  return rows
}

async function certificates({ home }: ManagerContext, { folder, dryRun }: BringBackOptions) {
  const names = await readdir(laidOutAt.certificates(folder))
  if (names.length === 0) return []
  if (!dryRun)
    await cp(laidOutAt.certificates(folder), home.certificates, {
      recursive: true,
      force: false,
      verbatimSymlinks: true,
    })
  return [recovered('certificates', names.toSorted().join(', '), 'restored')]
}

/** What the copy does not have, as it would have lain there in clear. */
async function missingSettings({ home }: ManagerContext, { manifest }: BringBackOptions) {
  const rows: Recovered[] = []
  for (const text of manifest.leftOut) {
    const [, name = '', file = ''] = /^(\S+) \((.+)\)$/.exec(text) ?? []
    if (name === '') {
      const isHere = existsSync(join(home.folder, text))
      if (!isHere)
        rows.push(recovered(text.startsWith('hooks/') ? 'hook' : 'certificates', text, 'left out', secretText))
      continue
    }
    const here = existsSync(join(home.folder, file)) ? await readFile(join(home.folder, file), 'utf8') : ''
    if (!new RegExp(`^\\s*(?:export\\s+)?${name}=`, 'm').test(here))
      rows.push(recovered('settings', `${name} (${file})`, 'left out', secretText))
  }
  return rows
}

const secretText = 'It is or may be a secret, and the copy is not encrypted. Set it again here.'

/** Versions are fetched as at any other time; templates that were only on the lost machine come out of the copy. */
async function refresh(context: ManagerContext, { folder, versions, dryRun }: BringBackOptions) {
  const { home, templates, registry } = context
  const saved = new Set(await readdir(laidOutAt.templates(folder)))
  if (dryRun)
    return [...saved].map((version) => recovered('version', version, 'restored', 'Its template is in the copy.'))
  const rows: Recovered[] = []
  const revisions = createRevisions(home.templates)
  for (const row of versions.filter(({ version }) => saved.has(version))) {
    if (registry.versions().some(({ version, revision }) => version === row.version && revision === row.revision))
      continue
    const from = join(laidOutAt.templates(folder), row.version)
    const { folder: name, title } = await revisions.add(
      row.version,
      row.revision,
      (to) => cp(from, to, { recursive: true, verbatimSymlinks: true }),
      // Instances ran it.
      async () => undefined,
    )
    registry.transaction((writer) => writer.putVersion({ ...row, title, folder: name }))
    await revisions.link({ version: row.version, folder: name })
  }
  const report = await templates.refresh()
  for (const { version, result, error = '' } of report.versions) {
    if (result !== 'failed') continue
    rows.push(
      saved.has(version)
        ? recovered(
            'version',
            version,
            'restored',
            `Its template was taken from the copy, because it cannot be fetched: ${error}`,
          )
        : recovered('version', version, 'failed', `Its template cannot be fetched: ${error}`),
    )
  }
  return rows
}
