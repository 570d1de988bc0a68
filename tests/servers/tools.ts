import { existsSync } from 'node:fs'
import { tryToInstall } from './install.js'
import { hasCommand } from './programs.js'

/** Programs that tests of the instances manager and of backup targets work with, and the Debian packages that hold them. */
const packagesOf = {
  age: 'age',
  apache2: 'apache2',
  bash: 'bash',
  dockerd: 'docker.io',
  'docker-registry': 'docker-registry',
  git: 'git',
  goaccess: 'goaccess',
  ip: 'iproute2',
  h2: 'libh2-java default-jre-headless',
  jdbc: 'libpostgresql-jdbc-java',
  keystone: 'python3-keystone python3-keystonemiddleware',
  memcached: 'memcached',
  nginx: 'nginx',
  pebble: 'pebble',
  proftpd: 'proftpd-core proftpd-mod-crypto openssl',
  radosgw: 'radosgw ceph-mon ceph-osd',
  rclone: 'rclone',
  slapd: 'slapd',
  sqlite3: 'sqlite3',
  ssh: 'openssh-client',
  sshd: 'openssh-server',
  swift: 'python3-swift',
  'systemd-analyze': 'systemd',
  tomcat: 'tomcat10-common default-jre-headless',
  strace: 'strace',
  zstd: 'zstd',
} as const

export type Tool = keyof typeof packagesOf

/** What `npm test` needs; the others are installed for `npm run test:servers`. */
const quick: readonly Tool[] = [
  'age',
  'bash',
  'git',
  'goaccess',
  'memcached',
  'nginx',
  'proftpd',
  'rclone',
  'sqlite3',
  'ssh',
  'sshd',
  'swift',
  'zstd',
]

/** Some are libraries that the tests make servers of: the packages of the servers hold many others, and services. */
const fileOf: Partial<Record<Tool, string>> = {
  h2: '/usr/share/java/h2.jar',
  jdbc: '/usr/share/java/postgresql.jar',
  keystone: '/usr/lib/python3/dist-packages/keystone/server',
  swift: '/usr/lib/python3/dist-packages/swift/proxy',
  tomcat: '/usr/share/tomcat10/bin/catalina.sh',
}

/** Carry from the set-up to the tests why tools are missing, and which of them it has looked at. */
const reasonVariable = 'TEST_TOOLS_REASON'
export const tierVariable = 'TEST_TIER'

/** @returns those of the tier that are not installed */
export function missingTools(): Tool[] {
  return (Object.keys(packagesOf) as Tool[]).filter((name) => isOfTier(name) && !isThere(name))
}

function isOfTier(name: Tool): boolean {
  return process.env[tierVariable] !== 'quick' || quick.includes(name)
}

export function packagesOfTools(names: readonly Tool[]): string[] {
  return names.flatMap((name) => packagesOf[name].split(' '))
}

/** Installs those of the tier that are missing, where that is possible. */
export async function provideTools(): Promise<void> {
  const missing = missingTools()
  if (missing.length === 0) return
  const reason = await tryToInstall(packagesOfTools(missing))
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
  if (isThere(name)) return undefined
  if (!isOfTier(name)) return `${name} is not installed; npm run test:servers does that.`
  const reason = `${name} is not installed, and ${process.env[reasonVariable] ?? 'the test set-up did not run'}.`
  if (process.env.CI) throw new Error(`A program is missing in CI: ${reason}`)
  return reason
}

function isThere(name: Tool): boolean {
  const file = fileOf[name]
  return file === undefined ? hasCommand(name) : existsSync(file)
}
