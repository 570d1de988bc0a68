import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tryToInstall } from './install.js'
import { hasCommand } from './programs.js'

const program = 'linux.uml'
const checkout = fileURLToPath(new URL('../..', import.meta.url))

/** Why it does not run on this machine, whatever is installed. */
export function unfitForUserModeLinux(): string | undefined {
  const processor = '/proc/cpuinfo'
  return existsSync(processor) && /^flags\s*:.*\bamx_tile\b/m.test(readFileSync(processor, 'utf8'))
    ? 'user-mode-linux has no room for the registers of a processor with AMX.'
    : undefined
}

/** Makes it available. Resolves to why that did not work, `undefined` when it did. */
export async function provideUserModeLinux(): Promise<string | undefined> {
  if (hasCommand(program)) return undefined
  const why = await tryToInstall(['user-mode-linux'])
  return hasCommand(program)
    ? undefined
    : `user-mode-linux is not installed, and ${why ?? 'its package has no program'}.`
}

/**
 * Runs lines of a shell as root of a Linux of its own (kernel 6.1, as a process, up in 3 seconds), with the files of
 * this machine, which it cannot change, a loopback interface, and nothing but cgroup v2.
 *
 * @param lines of a folder of its own, which is open to all, and also `TMPDIR` and `HOME`; in its `checkout` is this
 *   checkout, which may be where only root can go
 * @returns what they print
 */
export async function inUserModeLinux(lines: (own: string) => readonly string[]): Promise<string> {
  // Not in /dev/shm: it has a /dev of its own.
  const folder = await mkdtemp('/var/tmp/steward-uml-')
  try {
    // Others than root come through.
    await chmod(folder, 0o755)
    const [init, own, out] = ['init', 'own', 'shared'].map((name) => join(folder, name)) as [string, string, string]
    for (const each of [own, out]) await mkdir(each)
    await writeFile(init, script(own, out, lines(own)), { mode: 0o755 })
    const memory = ['mem=1536M', 'root=/dev/root', 'rootfstype=hostfs', 'rootflags=/', 'ro']
    const child = spawn(program, [...memory, `init=${init}`, 'con=null', 'con0=null,fd:1', 'quiet'], {
      cwd: folder,
      // Its memory is a file in TMPDIR.
      env: { PATH: process.env.PATH, TMPDIR: tmpdir(), HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let console = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (console += String(chunk)))
    await once(child, 'close')
    return await readFile(join(out, 'printed'), 'utf8').catch((error: unknown) => {
      throw new Error(`Nothing came out of the Linux of its own: ${console.slice(-3000)}`, { cause: error })
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function script(own: string, out: string, lines: readonly string[]): string {
  const programs = relative(checkout, dirname(process.execPath))
  return [
    '#!/bin/sh',
    'mount -t proc proc /proc',
    'mount -t sysfs sysfs /sys',
    'mount -t cgroup2 cgroup2 /sys/fs/cgroup',
    // Not /tmp, where the checkout may be.
    `mount -t tmpfs -o mode=1777 tmpfs ${own}`,
    `mount -t hostfs -o ${out} hostfs ${out}`,
    `mkdir ${own}/checkout && mount --bind ${checkout} ${own}/checkout`,
    'ip link set lo up || ifconfig lo up',
    `export PATH=${programs.startsWith('..') ? dirname(process.execPath) : join(own, 'checkout', programs)}:/usr/sbin:/usr/bin:/sbin:/bin HOME=${own} TMPDIR=${own}`,
    '{',
    ...lines,
    `} >${out}/printed 2>&1`,
    'echo o >/proc/sysrq-trigger',
    'sleep 60',
    '',
  ].join('\n')
}
