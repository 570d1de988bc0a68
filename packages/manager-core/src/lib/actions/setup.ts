import { join } from 'node:path'
import type { ActionResult, Option } from '../action.js'
import type { Caller } from '../domain/caller.js'
import { defaultHome } from '../domain/home.js'
import { look, type SetupLook } from '../setup/look.js'
import { firewallHints } from '../setup/machine.js'
import { defaultPort, defaultService, defaultUser, proxyChoices, supervisors } from '../setup/options.js'
import { configOf, setUp } from '../setup/set-up.js'
import { lookForRemoval, takeAway } from '../setup/take-away.js'
import { defineAction, type CallOf } from './define-action.js'

const options = [
  {
    name: 'user',
    type: 'text',
    summary:
      `Account that runs the manager and all instances; created if missing (default: ${defaultUser}, and each ` +
      'instance as its own account)',
  },
  {
    name: 'port',
    type: 'integer',
    min: 1,
    max: 65_535,
    summary: `Port of the server, on this machine only (default: ${defaultPort})`,
  },
  {
    name: 'domain',
    type: 'text',
    summary: 'Host of the manager, e.g. apps.example.org; instances get subdomains of it',
  },
  { name: 'email', type: 'text', summary: 'E-mail address for failures and for the certificate authority' },
  {
    name: 'proxy',
    type: 'choice',
    choices: proxyChoices,
    summary: 'Reverse proxy (default: the installed one)',
  },
  {
    name: 'certificate',
    type: 'file',
    summary: 'Certificate of the domain, instead of one by Let’s Encrypt',
  },
  { name: 'key', type: 'file', summary: 'Key of that certificate' },
  { name: 'http', type: 'flag', summary: 'Use HTTP without encryption: passwords can be intercepted' },
  {
    name: 'service',
    type: 'text',
    summary: `Name of the service, for several managers on a machine (default: ${defaultService})`,
  },
  {
    name: 'supervisor',
    type: 'choice',
    choices: supervisors,
    summary: 'Service manager (default: systemd if installed)',
  },
  { name: 'root', type: 'file', summary: 'Only write the files below this folder, for building images' },
  { name: 'remove', type: 'flag', summary: 'Remove what setup created' },
  { name: 'purge', type: 'text', summary: 'With --remove: also delete this home with all its instances and backups' },
] as const satisfies readonly Option[]

type SetupCall = CallOf<(typeof options)[number]>

export const setupAction = defineAction({
  name: 'setup',
  group: 'Manager',
  summary: 'Set up this machine as a server: account, home, service, schedule, reverse proxy, log rotation',
  description:
    `For Debian and Ubuntu, as root. The home is that of --home, else APPS_HOME, else ${defaultHome}. Run it ` +
    'again to update the files that setup wrote, for instance after an upgrade; files that you changed are left ' +
    'alone, and the new contents are written beside them as <file>.dpkg-dist. Files that setup did not create ' +
    'are never changed. --dry-run prints every file and command. --remove removes what setup created, except the ' +
    'home with its instances.',
  options,
  ability: 'admin',
  mutating: true,
  destructive: 'Files and services of this machine will be changed; --dry-run prints them.',
  surfaces: ['cli'],
  standalone: true,
  asCaller: true,
  defaultHome,
  examples: [
    'setup --domain apps.example.org --email ops@example.org',
    'setup --domain apps.example.org --email ops@example.org --dry-run',
    'setup --user apps --proxy none',
    'setup --yes',
    'setup --remove',
  ],
  view: { type: 'text' },
  handler: (call) => (call.input.remove ? remove(call) : install(call)),
})

async function install({
  context: { home, command, applicationServer },
  input,
  caller,
}: SetupCall): Promise<ActionResult> {
  const { dryRun = false } = caller
  const found = await look({ input, home: home.folder, command, applicationServer }, { dryRun })
  if (dryRun) return preview(found)
  const { changes, warnings, answers } = await setUp(found, sayTo(caller))
  const said =
    changes.length === 0
      ? `${home.folder} is already set up. Nothing was changed.`
      : ['Set up:', ...changes.map((change) => `  ${change}`)].join('\n')
  const silent = answers === false ? [`The server does not answer yet: journalctl -u ${found.options.service}`] : []
  return {
    message: found.root === '/' ? `${said}\n\n${ending(found)}` : said,
    warnings: [...warnings, ...silent],
    item: { changes: [...changes], home: home.folder },
    exitCode: answers === false ? 1 : 0,
  }
}

/** Every file and every command. */
function preview(found: SetupLook): ActionResult {
  const { options, pieces, account, hasConfig, root, warnings } = found
  const { home, user, supervisor, service } = options
  const comment = (text: string) => `# ${text}`
  const isDue = ({ state }: SetupLook['pieces'][number]) => state === 'create' || state === 'update'
  const config = configOf(found).replace(/^(export APPS_PASSWORD=).*/m, '$1…')
  const parts = [
    ...(account === undefined
      ? [comment(`useradd --system --user-group --no-create-home --home-dir ${home} --shell /usr/sbin/nologin ${user}`)]
      : []),
    ...(hasConfig ? [] : [`${comment(`${join(root, home)}/config.sh, for ${user} alone`)}\n${config}`]),
    ...pieces
      .filter(isDue)
      .map(({ path, text, isLink, about }) =>
        isLink
          ? comment(`${join(root, path)} -> ${text}: ${about}`)
          : `${comment(`${join(root, path)}: ${about}`)}\n${text}`,
      ),
    ...pieces
      .filter(({ state }) => state === 'changed' || state === 'newer')
      .map(({ path }) => comment(`${path} was changed manually and would be left alone.`)),
    ...(root === '/' && pieces.some(isDue)
      ? [
          comment(
            supervisor === 'systemd'
              ? `systemctl daemon-reload; systemctl enable, start ${service}`
              : `crontab of ${user}: the schedule`,
          ),
        ]
      : []),
  ]
  return {
    message: parts.length === 0 ? `${home} is already set up. Nothing would be changed.` : parts.join('\n'),
    item: { files: pieces.filter(isDue).map(({ path, text }) => ({ path, text })), home },
    warnings,
  }
}

/** Where it is now, and what comes next. */
function ending({ options, proxy, root }: SetupLook): string {
  const { domain, port, https, home, supervisor } = options
  const url = domain === undefined ? `http://localhost:${port}` : `${https === 'none' ? 'http' : 'https'}://${domain}`
  const hints = proxy ? firewallHints(https === 'none' ? [80] : [80, 443]) : []
  const rows: readonly (readonly [string, string])[] = [
    ['Address', `${url}/ui/`],
    ['Log-in', `admin; the password: sudo grep APPS_PASSWORD ${join(root, home)}/config.sh`],
    [
      'Server',
      supervisor === 'systemd'
        ? `systemctl status ${options.service}`
        : `started by cron within a minute; ${home}/logs/serve.log`,
    ],
    ...(domain === undefined ? [] : ([['DNS', `${domain} and *.${domain} must resolve to this machine`]] as const)),
    ...(domain === undefined || proxy ? [] : ([['Proxy', `must forward ${url} to http://127.0.0.1:${port}`]] as const)),
    ...(hints.length === 0
      ? []
      : ([['Firewall', `setup did not open any ports. If a firewall blocks them: ${hints.join('; or ')}`]] as const)),
    ['Next', 'sudo manager add demo'],
    ['', 'sudo manager doctor'],
  ]
  return rows.map(([name, text]) => `${name.padEnd(10)}${text}`).join('\n')
}

async function remove({ input, caller }: SetupCall): Promise<ActionResult> {
  const { dryRun = false } = caller
  const removal = lookForRemoval(input, { dryRun })
  const { record, purge } = removal
  const { home, service } = record.options
  if (dryRun) {
    const made = [...Object.keys(record.pieces), ...(purge ? [`${home}, with all instances and backups in it`] : [])]
    return { message: ['This would be removed:', ...made.map((path) => `  ${path}`)].join('\n') }
  }
  const left = await takeAway(removal, sayTo(caller))
  return {
    message: [`What setup created for "${service}" is removed.`, ...left].join('\n'),
    item: { home, left: [...left] },
  }
}

function sayTo({ onEvent }: Caller): (text: string) => void {
  return (step) => onEvent?.({ type: 'step', step, state: 'running' })
}
