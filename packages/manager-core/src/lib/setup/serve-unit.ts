import { dirname } from 'node:path'
import { environmentOf } from '../schedule/jobs.js'
import { shellWord } from '../schedule/cron-block.js'
import { comeFirst, unitWord } from '../schedule/systemd-units.js'
import type { SetupOptions } from './options.js'
import type { Piece } from './piece.js'

/** What the server is run by. */
export interface ServeOptions extends Pick<SetupOptions, 'home' | 'service' | 'user'> {
  readonly group: string
  /** The manager, absolute: Node and a file. */
  readonly command: readonly string[]
  /** The manager calls sudo to reload the reverse proxy. */
  readonly usesSudo: boolean
}

/**
 * Operations and instances are children of the server that outlive it: `KillMode=process`; one of them that the kernel
 * ends for want of memory does not end the server, `OOMPolicy=continue`. They inherit its restrictions, so there are only
 * those that instances and hooks can live with. `MemoryDenyWriteExecute` is not one of them: it ends Node.
 */
export function servePiece({ home, service, user, group, command, usesSudo }: ServeOptions): Piece {
  const words = [...command, 'serve', '--home', home]
  const isRoot = user === 'root'
  return {
    path: `/etc/systemd/system/${service}.service`,
    mode: 0o644,
    about: 'the server, started at boot and restarted when it ends',
    checkedBy: ['systemd-analyze', 'verify', '--man=no'],
    text: [
      '# Written by "manager setup", which keeps your changes.',
      '[Unit]',
      `Description=Instances manager ${home}`,
      'Wants=network-online.target',
      `Wants=${service}.socket`,
      `After=${[...comeFirst, 'nginx.service', 'apache2.service', `${service}.socket`].join(' ')}`,
      '',
      '[Service]',
      'Type=exec',
      ...(isRoot ? [] : [`User=${user}`, `Group=${group}`]),
      `WorkingDirectory=${home}`,
      `ExecStart=${words.map((word) => unitWord(word).replaceAll('$', '$$$$')).join(' ')}`,
      ...serveEnvironment(command, home).map(([name, value]) => `Environment=${unitWord(`${name}=${value}`)}`),
      'Restart=always',
      'RestartSec=5',
      'KillMode=process',
      'OOMPolicy=continue',
      'TasksMax=infinity',
      ...hardening({ isRoot, usesSudo }),
      '',
      '[Install]',
      'WantedBy=multi-user.target',
      '',
    ].join('\n'),
  }
}

/**
 * systemd listens in place of the server, which gets the socket: while it restarts, no other user can take its port, and
 * requests wait.
 */
export function socketPiece({ service, home }: Pick<ServeOptions, 'service' | 'home'>, listen: string): Piece {
  return {
    path: `/etc/systemd/system/${service}.socket`,
    mode: 0o644,
    about: 'the port of the server, which stays open while it restarts',
    checkedBy: ['systemd-analyze', 'verify', '--man=no'],
    text: [
      '# Written by "manager setup", which keeps your changes.',
      '[Unit]',
      `Description=Port of the instances manager ${home}`,
      '',
      '[Socket]',
      '# The address of APPS_LISTEN.',
      `ListenStream=${listen}`,
      `Service=${service}.service`,
      'NoDelay=yes',
      '',
      '[Install]',
      'WantedBy=sockets.target',
      '',
    ].join('\n'),
  }
}

/**
 * Root makes accounts and may upgrade the manager itself, so files stay writable to it. Any other account could not use sudo
 * with those that filter system calls: they come with `NoNewPrivileges`.
 */
function hardening({ isRoot, usesSudo }: { readonly isRoot: boolean; readonly usesSudo: boolean }): readonly string[] {
  const filters = ['LockPersonality', 'ProtectClock', 'ProtectHostname', 'ProtectKernelLogs', 'ProtectKernelModules']
    .concat(['ProtectKernelTunables', 'RestrictRealtime'])
    .map((name) => `${name}=yes`)
  if (isRoot) return filters
  return ['ProtectSystem=full', ...(usesSudo ? [] : ['NoNewPrivileges=yes', 'RestrictSUIDSGID=yes', ...filters])]
}

/** Where there is no systemd: started within a minute whenever it does not run. */
export function serveCronPiece({ home, service, user, command }: ServeOptions): Piece {
  const environment = serveEnvironment(command, home).map(([name, value]) => `${name}=${shellWord(value)}`)
  const serve = [...command, 'serve', '--home', home].map(shellWord).join(' ')
  const line = `env ${environment.join(' ')} flock -n -o ${home}/serve.lock ${serve} >>${home}/logs/serve.log 2>&1`
  return {
    path: `/etc/cron.d/${service}`,
    mode: 0o644,
    about: 'the server, started by cron whenever it does not run',
    text: `# Written by "manager setup".\n* * * * * ${user} ${line}\n`,
  }
}

/** Files that grow; the journal, instances' logs and what nginx or httpd write are rotated by others. */
export function logrotatePiece({ home, service, user, group }: ServeOptions): Piece {
  return {
    path: `/etc/logrotate.d/${service}`,
    mode: 0o644,
    about: "rotation of the manager's own logs",
    checkedBy: ['logrotate', '--debug', '--state', '/dev/null'],
    text: `# Written by "manager setup".
${home}/logs/schedule.log ${home}/logs/serve.log {
  weekly
  maxsize 50M
  rotate 8
  compress
  missingok
  notifempty
  copytruncate
  su ${user} ${group}
}
`,
  }
}

function serveEnvironment(command: readonly string[], home: string): readonly (readonly [string, string])[] {
  const { PATH = dirname(command[0] as string) } = environmentOf({ command, home, log: '' })
  return [['PATH', PATH]]
}
