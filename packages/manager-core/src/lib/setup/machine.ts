import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasSystemd } from '../schedule/systemd.js'
import type { SetupOptions } from './options.js'
import { proxyPrograms, type ProxyProgram } from './proxy-pieces.js'
import { tryRun } from './run.js'

/** An account of this machine. */
export interface Account {
  readonly uid: number
  readonly gid: number
  readonly group: string
}

export async function accountOf(user: string): Promise<Account | undefined> {
  const [entry, group] = await Promise.all([tryRun(['getent', 'passwd', user]), tryRun(['id', '-gn', user])])
  const [, , uid, gid] = entry.stdout.trim().split(':')
  if (!entry.ok || uid === undefined || gid === undefined) return undefined
  return { uid: Number(uid), gid: Number(gid), group: group.stdout.trim() || user }
}

/** Whether it is Debian, or based on it. @param root folder that stands for `/` */
export function isDebian(root: string): boolean {
  return existsSync(join(root, '/etc/debian_version'))
}

/** What starts services here: systemd when it runs or will run, else cron. */
export function supervisorOf(root: string): SetupOptions['supervisor'] {
  if (hasSystemd() && root === '/') return 'systemd'
  const has = (program: string) => existsSync(join(root, program))
  return has('/usr/bin/systemctl') || !has('/usr/bin/crontab') ? 'systemd' : 'cron'
}

/** What is installed of them. */
export function installedProxies(root: string): readonly ProxyProgram[] {
  return proxyPrograms.filter(({ program }) => existsSync(join(root, program)))
}

/** How the operator opens these ports with the firewall that is there; setup opens none. */
export function firewallHints(ports: readonly number[]): readonly string[] {
  const has = (program: string) =>
    ['/usr/sbin', '/usr/bin', '/sbin'].some((folder) => existsSync(`${folder}/${program}`))
  const list = ports.join(',')
  return [
    ...(has('ufw') ? [`ufw allow ${list}/tcp`] : []),
    ...(has('firewall-cmd') ? ports.map((port) => `firewall-cmd --permanent --add-port=${port}/tcp`) : []),
    ...(has('nft') ? [`nft add rule inet filter input tcp dport { ${ports.join(', ')} } accept`] : []),
  ]
}

/** Whether this port of this machine is listened on. */
export function isTaken(port: number): boolean {
  const hex = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return ['/proc/net/tcp', '/proc/net/tcp6'].some((file) => {
    if (!existsSync(file)) return false
    return readFileSync(file, 'utf8')
      .split('\n')
      .some((line) => {
        const [, local = '', , state] = line.trim().split(/\s+/)
        return local.endsWith(hex) && state === '0A'
      })
  })
}
