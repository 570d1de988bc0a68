import { execFile } from 'node:child_process'
import { appendFile, chmod, cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startDocker, type TestDocker } from './docker.js'
import { run } from './programs.js'
import { toolIsMissing } from './tools.js'
import { dockerIsMissing } from './docker.js'

/** A machine that systemd runs, without a network, and with the programs of this machine. */
export interface TestSystemd {
  /** Where this checkout is in it, for all to read. */
  readonly checkout: string
  /** Runs a command in it as root. */
  run(command: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Result>
  /** Shuts it down and boots it again; its files stay, but for those of `/run` and `/tmp`. */
  reboot(): Promise<void>
  close(): Promise<void>
}

export interface Result {
  readonly exitCode: number
  readonly output: string
}

/** Why a test that needs such a machine must be skipped; undefined when it can be had. @throws Error in CI */
export function systemdIsMissing(): string | undefined {
  return dockerIsMissing() ?? toolIsMissing('systemd-analyze')
}

const checkout = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '')
const inside = { checkout: '/opt/checkout', node: '/opt/node/bin/node' }
const name = 'machine'

/** Its cgroup is the whole tree for it: else systemd does not know which process is whose. */
const runtime = `#!/bin/sh
case " $* " in *" create "*)
  bundle='' before=''
  for each; do [ "$before" = --bundle ] && bundle=$each; before=$each; done
  group=$(sed -n 's/.*"cgroupsPath":"\\([^"]*\\)".*/\\1/p' "$bundle/config.json")
  mkdir -p "@tree@$group" && sed -i "s#@marker@#@tree@$group#g" "$bundle/config.json"
esac
exec runc "$@"
`

/** In about 4 seconds. */
export async function startSystemd(): Promise<TestSystemd> {
  let docker: TestDocker | undefined
  const folder = await (await import('./folders.js')).makeFolder('systemd', '/tmp')
  try {
    const marker = join(folder, 'cgroup')
    await mkdir(marker)
    const program = join(folder, 'runc-systemd')
    const tree = (await readdir('/sys/fs/cgroup')).includes('unified') ? '/sys/fs/cgroup/unified' : '/sys/fs/cgroup'
    await writeFile(program, runtime.replaceAll('@tree@', tree).replaceAll('@marker@', marker), { mode: 0o755 })
    docker = await startDocker({ options: [`--add-runtime=systemd=${program}`] })
    return await boot(docker, folder, marker)
  } catch (error) {
    await docker?.close()
    await run(['rm', '-rf', folder])
    throw error
  }
}

async function boot(docker: TestDocker, folder: string, marker: string): Promise<TestSystemd> {
  const root = join(folder, 'root')
  await layOutRoot(root)
  const client = (...args: readonly string[]) => run(['docker', '--host', `unix://${docker.socket}`, ...args])
  await run(['sh', '-c', 'tar -C "$0" -c . | docker --host "$1" import - systemd:1', root, `unix://${docker.socket}`])
  const bind = (from: string, to: string, ...more: readonly string[]) => [
    '--mount',
    ['type=bind', `source=${from}`, `target=${to}`, ...more].join(','),
  ]
  await client(
    'run',
    '--detach',
    `--name=${name}`,
    '--runtime=systemd',
    '--cgroupns=private',
    '--network=none',
    '--hostname=machine',
    '--stop-signal=SIGRTMIN+3',
    '--env=container=docker',
    ...['/run:rw,exec,mode=755', '/run/lock', '/tmp:rw,exec,mode=1777'].flatMap((each) => ['--tmpfs', each]),
    ...bind('/usr', '/usr', 'readonly'),
    ...bind(checkout, inside.checkout, 'readonly'),
    ...bind(process.execPath, inside.node, 'readonly'),
    ...bind(marker, '/sys/fs/cgroup'),
    'systemd:1',
    '/lib/systemd/systemd',
    '--log-target=console',
    '--show-status=false',
  )
  const machine: TestSystemd = {
    checkout: inside.checkout,
    run: (command, environment = {}) =>
      new Promise((resolve) => {
        const variables = Object.entries({
          PATH: `/opt/node/bin:${process.env['PATH']}`,
          HOME: '/root',
          ...environment,
        })
        const all = ['exec', ...variables.flatMap(([key, value]) => ['--env', `${key}=${value}`]), name, ...command]
        execFile(
          'docker',
          ['--host', `unix://${docker.socket}`, ...all],
          { maxBuffer: 2 ** 26 },
          (error, stdout, stderr) =>
            resolve({ exitCode: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
        )
      }),
    async reboot() {
      await client('restart', name)
      await isBooted(machine)
    },
    async close() {
      await docker.close()
      await run(['rm', '-rf', folder])
    },
  }
  await isBooted(machine)
  return machine
}

async function isBooted(machine: TestSystemd): Promise<void> {
  const { output } = await machine.run([
    'sh',
    '-c',
    'until [ -e /run/systemd/private ]; do sleep 0.05; done; systemctl is-system-running --wait',
  ])
  if (output.trim() !== 'running')
    throw new Error(
      `systemd has not booted: ${output}${(await machine.run(['systemctl', '--failed', '--no-pager'])).output}`,
    )
}

/** `/etc` of this machine without what is about it, and nothing that starts but what systemd itself needs. */
async function layOutRoot(root: string): Promise<void> {
  const etc = join(root, 'etc')
  const units = join(etc, 'systemd/system')
  for (const path of [
    'dev',
    'proc',
    'sys',
    'run',
    'tmp',
    'usr',
    'opt/checkout',
    'opt/node/bin',
    'srv',
    'root',
    'var/lib',
  ])
    await mkdir(join(root, path), { recursive: true })
  await chmod(join(root, 'root'), 0o700)
  for (const path of ['bin', 'sbin', 'lib', 'lib64']) await symlink(`usr/${path}`, join(root, path))
  await mkdir(units, { recursive: true })
  await mkdir(join(etc, 'systemd/system-preset'))
  for (const file of [
    'group',
    'passwd',
    'shadow',
    'gshadow',
    'login.defs',
    'nsswitch.conf',
    'ld.so.cache',
    'alternatives',
    'pam.d',
    'os-release',
    'default',
    'dbus-1',
  ])
    await cp(join('/etc', file), join(etc, file), { recursive: true, verbatimSymlinks: true }).catch(() => undefined)
  // Accounts that are made here get numbers below it, not those of accounts that other tests make on the host meanwhile:
  // the kernel counts their processes together, and those of the host may be ended all at once.
  await appendFile(join(etc, 'passwd'), 'others:x:40000:40000::/nonexistent:/usr/sbin/nologin\n')
  await appendFile(join(etc, 'group'), 'others:x:40000:\n')
  await writeFile(join(etc, 'machine-id'), '0123456789abcdef0123456789abcdef\n')
  // Else the first boot starts all that is installed.
  await writeFile(join(etc, 'systemd/system-preset/00-none.preset'), 'disable *\n')
  await symlink('/lib/systemd/system/multi-user.target', join(units, 'default.target'))
  for (const unit of await unitsThatStart()) await symlink('/dev/null', join(units, unit))
}

/** What packages have systemd start at every boot, but for its log and its bus. */
async function unitsThatStart(): Promise<readonly string[]> {
  const folder = '/usr/lib/systemd/system'
  const lists = (await readdir(folder)).filter((each) => /\.target\.(wants|requires)$/.test(each))
  const all = await Promise.all(lists.map((list) => readdir(join(folder, list))))
  const kept = /^(systemd-journald(-dev-log)?|dbus)\.(service|socket)$|\.target$/
  return [...new Set([...all.flat(), 'systemd-udevd.service', 'console-getty.service', 'tmp.mount'])]
    .map((each) => basename(each))
    .filter((each) => !kept.test(each))
}
