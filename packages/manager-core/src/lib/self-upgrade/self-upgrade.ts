import { gt, valid } from 'semver'
import { npmEnvironment } from '../templates/npm-environment.js'
import { runTool } from '../templates/run-tool.js'
import { installationOf, type Installation } from './installation.js'

export interface SelfUpgradeOptions {
  /** The program that runs, as a command: Node and a file. */
  readonly command: readonly string[]
  /** Looks only. */
  readonly dryRun?: boolean | undefined
  readonly onProgress?: (text: string) => void
  readonly signal?: AbortSignal | undefined
}

export interface SelfUpgrade {
  /** `left`: it is not npm's, or pinned; `failed`: it is as it was. */
  readonly result: 'upgraded' | 'unchanged' | 'left' | 'failed'
  /** One sentence. */
  readonly message: string
}

/**
 * Brings the package of the program that runs to its newest version, the way it was installed; one that does not start
 * is replaced by the old one again. Never rejects, but for `signal`: nothing else must fail for it.
 */
export async function upgradeSelf({
  command: [node = process.execPath, program = ''],
  dryRun = false,
  onProgress,
  signal,
}: SelfUpgradeOptions): Promise<SelfUpgrade> {
  try {
    const installation = installationOf(program)
    if (installation.by === 'other')
      return { result: 'left', message: `The manager itself was not upgraded: ${installation.why}.` }
    const { name, version, prefix } = installation
    onProgress?.(`Looking for a newer ${name}`)
    const newest = await newestOf(installation, signal)
    if (!gt(newest, version)) return { result: 'unchanged', message: `The manager is the newest, ${version}.` }
    const change = `${name} in ${prefix} from ${version} to ${newest}`
    if (dryRun) return { result: 'upgraded', message: `The manager would be upgraded: ${change}.` }
    onProgress?.(`Upgrading ${change}`)
    await install(installation, newest, signal)
    const problem = await problemOf(node, program)
    if (problem === undefined)
      return {
        result: 'upgraded',
        message: `The manager was upgraded: ${change}. Instances take the new application server when they start again.`,
      }
    await install(installation, version, undefined)
    return { result: 'failed', message: `The manager ${newest} does not start (${problem}); ${version} is back.` }
  } catch (error) {
    signal?.throwIfAborted()
    return { result: 'failed', message: `The manager itself was not upgraded: ${(error as Error).message}` }
  }
}

type NpmInstallation = Extract<Installation, { by: 'npm' }>

async function newestOf(installation: NpmInstallation, signal: AbortSignal | undefined): Promise<string> {
  const { name } = installation
  const args = ['view', name, 'version', '--json']
  const answer = JSON.parse(await npm(installation, args, `Cannot look for ${name}`, signal)) as unknown
  const version = valid(String(answer))
  if (version === null) throw new Error(`npm names no version of ${name}.`)
  return version
}

async function install(installation: NpmInstallation, version: string, signal: AbortSignal | undefined): Promise<void> {
  const { name, isGlobal } = installation
  const args = ['install', `${name}@${version}`, ...(isGlobal ? ['--global'] : []), '--no-audit', '--no-fund']
  await npm(installation, args, `Cannot install ${name} ${version}`, signal)
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
    ...{ stdin: 'ignore' as const, reject: false as const, timeout },
  })
  return failed ? (stderr.trim().split('\n').at(-1) || shortMessage || 'it failed').slice(0, 300) : undefined
}
