import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchHome } from '../manager/commands.ts'
// It lets Node import the servers of the tests.
import '../rest/test-servers.ts'

const folder = '../../tests/servers'
const { startSshd } = (await import(`${folder}/sshd.ts`)) as typeof import('../../tests/servers/sshd.js')
const { startSwift } = (await import(`${folder}/swift.ts`)) as typeof import('../../tests/servers/swift.js')

/** A private server that backups are copied to, and how a user's own client writes to it and reads from it. */
export interface Store {
  /** The type of the target in the manager. */
  readonly target: 'scp' | 'swift'
  /** Variables of the target. */
  readonly settings: Readonly<Record<string, string>>
  /** For bash: takes standard input, ends when it is stored. */
  readonly write: string
  /** For bash: gives what `write` stored. */
  readonly read: string
  close(): Promise<void>
}

export async function openSsh(): Promise<Store> {
  const sshd = await startSshd()
  const { host, port, user, key, knownHosts, store } = sshd
  const options = `-p ${port} -i ${key} -o UserKnownHostsFile=${knownHosts} -o IdentitiesOnly=yes -o BatchMode=yes`
  const ssh = (command: string) => `ssh ${options} ${user}@${host} ${quoted(command)}`
  const file = join(store, 'peer')
  return {
    target: 'scp',
    settings: variables('SCP', sshd.options),
    write: ssh(`cat > ${file} && sync ${file}`),
    read: ssh(`cat ${file}`),
    close: () => sshd.close(),
  }
}

export async function openSwift(): Promise<Store> {
  const swift = await startSwift()
  const { url, user, key } = swift.auth
  const remote = `RCLONE_CONFIG_S_TYPE=swift RCLONE_CONFIG_S_AUTH=${url} RCLONE_CONFIG_S_USER=${user} RCLONE_CONFIG_S_KEY=${key}`
  const rclone = `${remote} rclone --config /dev/null`
  return {
    target: 'swift',
    settings: variables('SWIFT', { auth_url: url, username: user, password: key, container: 'backups' }),
    write: `${rclone} rcat s:peer/file`,
    read: `${rclone} cat s:peer/file`,
    close: () => swift.close(),
  }
}

/** Sets variables in the manager's `config.sh`. */
export function configure({ folder: home }: BenchHome, values: Readonly<Record<string, string>>): void {
  const lines = Object.entries(values).map(([name, value]) => `export ${name}=${quoted(value)}\n`)
  appendFileSync(join(home, 'config.sh'), lines.join(''))
}

function variables(type: string, options: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [`APPS_${type}_${name.toUpperCase()}`, value]),
  )
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
