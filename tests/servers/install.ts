import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasCommand } from './programs.js'
import { isRoot } from './as-user.js'

/** Why programs cannot be installed here, or undefined when they can. */
function whyNotInstallable(): string | undefined {
  if (process.platform !== 'linux' || !hasCommand('apt-get')) return 'this system has no apt-get to install it with'
  if (!isRoot()) return 'only root can install it'
  return undefined
}

/** Installs Debian packages where that is possible. Resolves to why that did not work, `undefined` when it did. */
export async function tryToInstall(packages: string[]): Promise<string | undefined> {
  const reason = whyNotInstallable()
  if (reason) return reason
  try {
    await installPackages(packages)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Installs Debian packages without starting their services. Rejects with the errors that apt-get printed. */
async function installPackages(packages: string[]): Promise<void> {
  process.stderr.write(`Installing ${packages.join(' and ')} for the tests (apt-get) …\n`)
  const script = join(import.meta.dirname, 'install-debian.sh')
  const lock = join(tmpdir(), 'steward-test-install.lock')
  const child = spawn('flock', [lock, 'sh', script, ...packages], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code === 0) return
  const lines = output.trimEnd().split('\n')
  const errors = lines.filter((line) => line.startsWith('E: ')).map((line) => line.slice(3))
  throw new Error(`apt-get failed: ${(errors.length > 0 ? errors : lines).slice(-3).join(' / ')}`)
}
