import { tryToInstall } from './install.js'
import { hasCommand } from './programs.js'

/** Programs that tests of the instances manager and of backup targets work with, and the Debian packages that hold them. */
const packagesOf = {
  age: 'age',
  bash: 'bash',
  git: 'git',
  goaccess: 'goaccess',
  'keystone-manage': 'keystone python3-keystonemiddleware',
  memcached: 'memcached',
  proftpd: 'proftpd-core proftpd-mod-crypto openssl',
  radosgw: 'radosgw ceph-mon ceph-osd',
  rclone: 'rclone',
  sqlite3: 'sqlite3',
  ssh: 'openssh-client',
  sshd: 'openssh-server',
  'swift-proxy-server': 'swift-proxy swift-account swift-container swift-object',
  zstd: 'zstd',
} as const

export type Tool = keyof typeof packagesOf

/** Carries why tools are missing from the set-up to the tests. */
const reasonVariable = 'TEST_TOOLS_REASON'

/** Installs those that are missing, where that is possible. */
export async function provideTools(): Promise<void> {
  const missing = (Object.keys(packagesOf) as Tool[]).filter((name) => !hasCommand(name))
  if (missing.length === 0) return
  const reason = await tryToInstall(missing.flatMap((name) => packagesOf[name].split(' ')))
  if (reason === undefined) return
  process.env[reasonVariable] = reason
  process.stderr.write(`Tests that need ${missing.join(', ')} are skipped: not installed, and ${reason}.\n`)
}

/**
 * Why a test that needs this program must be skipped; undefined when it is there.
 *
 * @throws Error in CI, where the set-up provides it.
 */
export function toolIsMissing(name: Tool): string | undefined {
  if (hasCommand(name)) return undefined
  const reason = `${name} is not installed, and ${process.env[reasonVariable] ?? 'the test set-up did not run'}.`
  if (process.env.CI) throw new Error(`A program is missing in CI: ${reason}`)
  return reason
}
