import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeTree } from '../accounts/remove-tree.js'
import { gt, valid } from 'semver'
import type { UpgradeSource } from '../settings/settings.js'
import { npmEnvironment } from '../templates/npm-environment.js'
import { runTool } from '../templates/run-tool.js'
import { installationOf, type Installation } from './installation.js'

export interface SelfUpgradeOptions {
  /** The program that runs, as a command: Node and a file. */
  readonly command: readonly string[]
  readonly source: UpgradeSource
  /** Looks only. */
  readonly dryRun?: boolean | undefined
  readonly onProgress?: (text: string) => void
  readonly signal?: AbortSignal | undefined
}

export interface SelfUpgrade {
  /** `left`: it is not npm's; `failed`: it is as it was. */
  readonly result: 'upgraded' | 'unchanged' | 'left' | 'failed'
  /** One sentence. */
  readonly message: string
}

/**
 * Brings the package of the program that runs to the version that the operator has pinned, from the registry that they
 * named and from no other one. What comes is installed only when its hash is the pinned one; one that does not start is
 * replaced by the old one again. Never rejects, but for `signal`: nothing else must fail for it.
 */
export async function upgradeSelf({
  command: [node = process.execPath, program = ''],
  source,
  dryRun = false,
  onProgress,
  signal,
}: SelfUpgradeOptions): Promise<SelfUpgrade> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-self-'))
  try {
    const installation = installationOf(program)
    if (installation.by === 'other')
      return { result: 'left', message: `The manager itself was not upgraded: ${installation.why}.` }
    const { name, version, prefix } = installation
    const pinned = pinOf(source.pin)
    if (!gt(pinned.version, version))
      return { result: 'unchanged', message: `The manager is up to date (APPS_UPGRADEPIN: ${version}).` }
    const change = `${name} in ${prefix} from ${version} to ${pinned.version}`
    onProgress?.(`Fetching ${name} ${pinned.version} from ${source.registry}`)
    const archive = await fetchPinned(installation, source.registry, pinned, { folder: join(folder, 'new'), signal })
    if (dryRun) return { result: 'upgraded', message: `The manager would be upgraded: ${change}.` }
    // It is put back without a registry.
    const before = await pack(installation, ['--offline', installation.folder], { folder: join(folder, 'old'), signal })
    onProgress?.(`Upgrading ${change}`)
    await install(installation, source.registry, archive, signal)
    const problem = await problemOf(node, program)
    if (problem === undefined)
      return {
        result: 'upgraded',
        message: `The manager was upgraded: ${change}. Instances keep their application server until they are upgraded.`,
      }
    await install(installation, source.registry, before, undefined)
    return {
      result: 'failed',
      message: `The manager ${pinned.version} does not start (${problem}); it was rolled back to ${version}.`,
    }
  } catch (error) {
    signal?.throwIfAborted()
    return { result: 'failed', message: `The manager itself was not upgraded: ${(error as Error).message}` }
  } finally {
    await removeTree(folder)
  }
}

type NpmInstallation = Extract<Installation, { by: 'npm' }>

interface Pinned {
  readonly version: string
  /** Base64. */
  readonly sha512: string
}

function pinOf(pin: string): Pinned {
  const [, version, sha512 = ''] = /^(\S+)\s+sha512-([A-Za-z0-9+/]{86}==)$/.exec(pin) ?? []
  if (version !== undefined && valid(version) !== null) return { version, sha512 }
  throw new Error('APPS_UPGRADEPIN must be a version and its integrity, as in "1.2.0 sha512-…".')
}

/** @returns the archive, whose every byte was hashed */
async function fetchPinned(
  installation: NpmInstallation,
  registry: string,
  { version, sha512 }: Pinned,
  how: { readonly folder: string; readonly signal: AbortSignal | undefined },
): Promise<string> {
  const { name } = installation
  const archive = await pack(installation, [...fromOnly(name, registry), `${name}@${version}`], how)
  const found = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')
  if (found === sha512) return archive
  throw new Error(`${name} ${version} of ${registry} does not match APPS_UPGRADEPIN: its SHA-512 differs.`)
}

/** Neither this package nor another one of its scope is ever asked for elsewhere. */
function fromOnly(name: string, registry: string): readonly string[] {
  const [scope] = name.split('/')
  return [`--registry=${registry}`, `--${scope}:registry=${registry}`]
}

/** Makes an archive in a new folder. */
async function pack(
  installation: NpmInstallation,
  args: readonly string[],
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal | undefined },
): Promise<string> {
  await mkdir(folder)
  const attempt = `Cannot fetch ${installation.name}`
  await npm(installation, ['pack', ...args, '--ignore-scripts', `--pack-destination=${folder}`], attempt, signal)
  const [file] = await readdir(folder)
  if (file === undefined) throw new Error(`${attempt}: npm returned no package.`)
  return join(folder, file)
}

async function install(
  installation: NpmInstallation,
  registry: string,
  archive: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { name, isGlobal } = installation
  const where = isGlobal ? '--global' : '--no-save'
  const args = ['install', archive, where, ...fromOnly(name, registry), '--ignore-scripts', '--no-audit', '--no-fund']
  await npm(installation, args, `Cannot install ${name}`, signal)
}

function npm({ prefix }: NpmInstallation, args: readonly string[], attempt: string, signal: AbortSignal | undefined) {
  const options = { attempt, environment: npmEnvironment, folder: prefix, signal }
  return runTool('npm', { ...options, args: [...args, '--prefix', prefix] })
}
/** Lets the manager that is installed now refresh the templates of a home. @returns why it could not. */
export function refreshBy(command: readonly string[], home: string): Promise<string | undefined> {
  const [node = process.execPath, program = ''] = command
  return problemOf(node, program, ['refresh', '--no-self', '--home', home, '--wait=60'], 15 * 60_000)
}

/** Why it does not run; undefined: it does. */
async function problemOf(
  node: string,
  program: string,
  args: readonly string[] = ['--version'],
  timeout = 60_000,
): Promise<string | undefined> {
  const { execa } = await import('execa')
  const { failed, stderr, shortMessage } = await execa(node, [program, ...args], {
    stdin: 'ignore' as const,
    reject: false as const,
    timeout,
  })
  return failed ? (stderr.trim().split('\n').at(-1) || shortMessage || 'it failed').slice(0, 300) : undefined
}
