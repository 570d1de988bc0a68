/**
 * Files of `packages/manager-core/src/lib` that may do what else only the room `accounts/` may, and why: none of it is
 * where an account could have put a link, a pipe, or another file meanwhile. A test refuses rows that are not needed.
 */

/** @typedef {{ readonly why: string, readonly rules: readonly string[], readonly files: readonly string[] }} Exception */

const paths = ['read-by-room', 'path-by-room']

/** @type {readonly Exception[]} */
export const exceptions = [
  {
    why: "Folders of the manager's own home, which no account can enter: certificates, templates, registry, runs, the proxies' configuration.",
    rules: paths,
    files: [
      'certificates/**',
      'hooks/**',
      'mail/**',
      'proxies/**',
      'run.worker.ts',
      'runs/**',
      'settings/**',
      'store/**',
      'system/locks.ts',
      'templates/{application-tree,create-templates,folder-source,git-source,npm-source,refuse-pointers,revisions,unpack-war}.ts',
      'terminal/**',
    ],
  },
  {
    why: 'What the operator installs and sets up: the machine, units, the schedule, stored servers, homes that are brought back.',
    rules: paths,
    files: [
      'actions/schedule.ts',
      'anonymise/read-rules.ts',
      'databases/home-mark.ts',
      'recovery/**',
      'rebuild/**',
      'runtime/systemd/**',
      'schedule/**',
      'self-upgrade/**',
      'servers/server-store.ts',
      'setup/**',
    ],
  },
  {
    why: 'Folders of backups, which no account can enter. What comes out of them is looked at by check-unpacked.ts.',
    rules: paths,
    files: ['backup/*.ts', 'backup/copies/**', 'backup/packing/**', 'documents/**'],
  },
  {
    why: "The folder of an instance itself, which is the manager's, as is the home around it; what its account owns are the folders in it.",
    rules: paths,
    files: [
      'disk/survey-disk.ts',
      'doctor/*.ts',
      'instances/{account-step,change-setting,data-record,home-place,left-step,purge,sleep-after,trash-step,trash}.ts',
      'quality/report.ts',
      'runtime/{launch,run-files}.ts',
      'runtime/tomcat/**',
      'upgrade/{restore-points,used-servers}.ts',
    ],
  },
  {
    why: 'Instances in a swarm have no account of this machine.',
    rules: paths,
    files: ['actions/swarm.ts', 'runtime/swarm/**'],
  },
  {
    why: 'Folders that it has just made for itself, below the temporary one.',
    rules: paths,
    files: ['application/readable-copy.ts', 'quality/{local,sonarqube}/**'],
  },
  {
    why: 'The kernel and sockets of engines: /proc, /sys, ports.',
    rules: paths,
    files: [
      'instances/connections.ts',
      'runtime/{spawn-alone,usage}.ts',
      'runtime/container/{create-container-runtime,pause}.ts',
      'runtime/limits/**',
      'system/{machine-id,mounts,port-holder,process-identity,process-table,tcp-table}.ts',
    ],
  },
  {
    why: "Folders of sockets below /run, which are root's alone.",
    rules: ['path-by-room'],
    files: ['runtime/instance-socket.ts', 'system/socket-folder.ts'],
  },
  {
    why: 'Programs and packages of the manager itself.',
    rules: paths,
    files: ['files/package-closure.ts', 'runtime/container/{local-image,program-folders}.ts'],
  },
  {
    why: 'Runs as the account, or with nothing that the account may not have.',
    rules: paths,
    files: ['instances/query/filter.worker.ts', 'runtime/guest.worker.ts'],
  },
  {
    why: 'Helpers for the files above: their callers answer for the path.',
    rules: paths,
    files: ['application/call-io.ts', 'files/*.ts'],
  },
  {
    why: 'A download is made in a folder that no account can enter; application and packages are read as their account.',
    rules: paths,
    files: ['download/*.ts'],
  },
  {
    why: "Application servers and homes that are brought back are copied whole, and are no account's.",
    rules: ['copy-by-room'],
    files: ['recovery/{bring-back-home,lay-out-manager}.ts', 'servers/server-store.ts'],
  },
  {
    why: 'Programs of the machine, of the operator and of the manager, which run for no account: engines, units, hooks, workers.',
    rules: ['start-by-room'],
    files: [
      'access-logs/goaccess.ts',
      'backup/packing/tools.ts',
      'doctor/system-checks.ts',
      'hooks/run-script.ts',
      'instances/query/filter-by-sql.ts',
      'proxies/run-program.ts',
      'runs/launch-worker.ts',
      'runtime/container/local-image.ts',
      'runtime/limits/resource-limits.ts',
      'runtime/spawn-alone.ts',
      'runtime/systemd/systemctl.ts',
      'runtime/tomcat/check-installation.ts',
      'schedule/{crontab,systemd}.ts',
      'self-upgrade/self-upgrade.ts',
      'setup/run.ts',
      'system/run.ts',
      'terminal/terminal-user.ts',
    ],
  },
]

/** Rules from which a file is excepted. @param {string} filename its path @returns {ReadonlySet<string>} */
export function exceptedRules(filename) {
  const [, file] = /packages\/manager-core\/src\/lib\/(.*)$/.exec(filename) ?? []
  if (file === undefined) return new Set()
  return new Set(
    exceptions.filter(({ files }) => files.some((each) => matches(each, file))).flatMap(({ rules }) => rules),
  )
}

/** `*` is any name, `**` any path, `{a,b}` one of several. @param {string} pattern @param {string} file */
export function matches(pattern, file) {
  const expression = pattern
    .replaceAll(/[.+?^$()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('**', '\0')
    .replaceAll('*', '[^/]*')
    .replaceAll('\0', '.*')
    .replaceAll('{', '(?:')
    .replaceAll('}', ')')
    .replaceAll(',', '|')
  return new RegExp(`^${expression}$`).test(file)
}
