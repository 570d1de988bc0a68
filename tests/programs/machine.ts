import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../scripts/packages.mjs'

/** Where the checkout is on such a machine, and the Node of this process. */
export const checkout = '/opt/steward'
export const node = '/opt/node'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A machine to throw away: this one's files with another layer over them, a network of its own, and its own systemd. */
export interface Machine {
  /** Runs lines of bash as root, with all that they print. */
  run(script: string): Promise<Ended>
  /** As `run`; rejects when the last line fails. @returns what it printed */
  must(script: string): Promise<string>
  /** As `must`, with the network of this computer. */
  online(script: string): Promise<string>
  /** Ends all that runs there and forgets its files. */
  close(): Promise<void>
}

export interface MachineOptions {
  /** Lines of a shell before systemd starts; `$R` is the root folder. */
  readonly prepare?: string
}

/** Units that reach for hardware, or would change what all of this computer share. */
const masked = [
  ...['systemd-udevd', 'systemd-udev-trigger', 'systemd-sysctl', 'systemd-tmpfiles-setup-dev', 'systemd-logind'],
  ...['kmod-static-nodes', 'systemd-modules-load', 'systemd-remount-fs', 'systemd-resolved', 'systemd-networkd'],
]
  .map((name) => `${name}.service`)
  .concat(['systemd-udevd-kernel.socket', 'systemd-udevd-control.socket', 'proc-sys-fs-binfmt_misc.automount'])
  .concat(['dev-hugepages.mount', 'dev-mqueue.mount', 'sys-kernel-debug.mount', 'sys-kernel-tracing.mount'])
  .concat(['sys-fs-fuse-connections.mount', 'sys-kernel-config.mount'])

/** Why there can be no such machine here; undefined: there can. */
export function machineIsMissing(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'A machine of its own takes root on Linux.'
  const programs = [
    '/lib/systemd/systemd',
    '/usr/sbin/nginx',
    '/usr/bin/sudo',
    '/usr/sbin/logrotate',
    '/usr/sbin/visudo',
  ]
  const missing = programs.filter((program) => !existsSync(program))
  if (missing.length > 0) return `Not installed: ${missing.join(', ')}.`
  const { status } = spawnSync('unshare', ['--mount', '--pid', '--fork', '--net', '--uts', '--ipc', 'true'])
  if (status !== 0) return 'Namespaces cannot be made here.'
  return cgroups() === undefined ? 'There is no writable tree of cgroups (v2).' : undefined
}

function cgroups(): string | undefined {
  return ['/sys/fs/cgroup/unified', '/sys/fs/cgroup'].find((folder) => {
    if (!existsSync(join(folder, 'cgroup.procs'))) return false
    const probe = join(folder, `steward-probe-${process.pid}`)
    try {
      mkdirSync(probe)
      rmdirSync(probe)
      return true
    } catch {
      return false
    }
  })
}

/** Starts systemd on one, with nothing enabled but what `prepare` enables. */
export async function bootMachine({ prepare = '' }: MachineOptions = {}): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-machine-'))
  const group = join(cgroups() as string, `steward-${folder.slice(-6)}`)
  mkdirSync(group)
  const inside = join(folder, 'inside.sh')
  writeFileSync(inside, bootScript(folder, prepare))
  const start = `echo $$ >${group}/cgroup.procs; exec unshare --mount --pid --fork --kill-child=KILL --uts --ipc --net --cgroup sh ${inside}`
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'sh', '-ec', start], { stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (log += text.toString()))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let pid: string | undefined

  const machine: Machine = {
    run: (script) => runInside(pid as string, script),
    must: (script) => mustEndWell(script, runInside(pid as string, script)),
    online: (script) => mustEndWell(script, runInside(pid as string, script, ['mount', 'pid', 'uts', 'ipc'])),
    async close() {
      // The first process of the namespace takes all others along.
      if (pid !== undefined) endQuietly(Number(pid))
      child.kill('SIGKILL')
      await ended
      for (const one of groupsBelow(group)) removeGroup(one)
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    pid = await firstProcess(child, () => log)
    for (let state = ''; !/^(running|degraded)/.test(state);) {
      if (child.exitCode !== null) throw new Error(`The machine has ended:\n${log}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
      state = (await machine.run('systemctl is-system-running')).stdout
    }
    return machine
  } catch (error) {
    await machine.close()
    throw error
  }
}

function bootScript(folder: string, prepare: string): string {
  return `set -e
mount --make-rprivate /
mkdir ${folder}/m; mount -t tmpfs tmpfs ${folder}/m; mkdir ${folder}/m/upper ${folder}/m/work ${folder}/m/root
mount -t overlay overlay -o lowerdir=/,upperdir=${folder}/m/upper,workdir=${folder}/m/work ${folder}/m/root
R=${folder}/m/root
mount -t proc proc $R/proc; mount --bind $R/proc/sys $R/proc/sys; mount -o remount,bind,ro $R/proc/sys
mount -t sysfs -o ro sysfs $R/sys; mount -t cgroup2 cgroup2 $R/sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs $R/run; mount -t tmpfs -o mode=1777 tmpfs $R/tmp; mount -t tmpfs -o mode=755 tmpfs $R/dev
for node in null zero full random urandom tty; do : >$R/dev/$node; mount --bind /dev/$node $R/dev/$node; done
mkdir $R/dev/pts $R/dev/shm; ln -s /proc/self/fd $R/dev/fd
mkdir -p $R${checkout}; mount --bind ${root} $R${checkout}; : >$R${node}; mount --bind ${process.execPath} $R${node}
chmod 755 $R/opt
ip link set lo up
rm -rf $R/etc/systemd/system; mkdir -p $R/etc/systemd/system/multi-user.target.wants $R/etc/systemd/system-preset
echo 'disable *' >$R/etc/systemd/system-preset/00-none.preset
for unit in ${masked.join(' ')}; do ln -s /dev/null $R/etc/systemd/system/$unit; done
echo 0123456789abcdef0123456789abcdef >$R/etc/machine-id
${prepare}
export container=steward
exec chroot $R /lib/systemd/systemd --unit=multi-user.target --log-level=warning --log-target=console --show-status=false
`
}

/** systemd itself, seen from here. */
async function firstProcess(child: ChildProcess, log: () => string): Promise<string> {
  for (;;) {
    const file = `/proc/${child.pid}/task/${child.pid}/children`
    const [pid] = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : []
    if (pid && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'systemd') return pid
    if (child.exitCode !== null) throw new Error(`The machine has ended:\n${log()}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function mustEndWell(script: string, ended: Promise<Ended>): Promise<string> {
  const { code, stdout, stderr } = await ended
  if (code === 0) return stdout
  throw new Error(`${script}\nended with ${code}:\n${stdout}${stderr}`)
}

const all = ['mount', 'pid', 'uts', 'ipc', 'net', 'cgroup'] as const

function runInside(pid: string, script: string, namespaces: readonly string[] = all): Promise<Ended> {
  const environment = 'env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8'
  const enter = ['--target', pid, ...namespaces.map((name) => `--${name}`), '--root', '--wd']
  const child = spawn('nsenter', [...enter, '--', ...environment.split(' '), 'bash', '-uc', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (text: Buffer) => (said.stdout += text.toString()))
  child.stderr.on('data', (text: Buffer) => (said.stderr += text.toString()))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...said }))
  })
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** Innermost first. */
function groupsBelow(group: string): readonly string[] {
  const { stdout } = spawnSync('find', [group, '-depth', '-type', 'd'], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line !== '')
}

/** Processes that were killed take a moment to leave it. */
function removeGroup(group: string): void {
  for (let tries = 0; tries < 100; tries++) {
    try {
      return rmdirSync(group)
    } catch {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    }
  }
}
