import { basename } from 'node:path'
import { findProcess, machine } from './machine.js'

const programs: ReadonlySet<string> = new Set(['setpriv', 'useradd', 'userdel', 'chown', 'rm', 'tar'])

/** Who runs which process; undefined: there is none of this id. */
function ownerOf(pid: number): number | undefined {
  const { instances, proxy, now } = machine.state
  const isWorker = (proxy.worker === pid && proxy.condition !== 'down') || (proxy.retiring.get(pid) ?? 0) > now
  if (isWorker || findProcess(pid)) return 0
  return [...instances.values()].find((each) => each.state === 'started' && each.pid === pid)?.uid
}

/** Those of instances. */
export function processIds(): readonly number[] {
  return [...machine.state.instances.values()].flatMap(({ state, pid }) => (state === 'started' ? [pid] : []))
}

/** A text that the kernel or the system keeps; undefined: it is another file. @throws Error ENOENT */
export function systemFile(path: unknown): string | undefined {
  switch (path) {
    case '/etc/passwd':
      return [...machine.state.accounts].map(([name, id]) => `${name}:x:${id}:${id}::/nonexistent:\n`).join('')
    case '/proc/sys/fs/protected_hardlinks':
      return '1\n'
    case '/proc/net/tcp':
      return ''
  }
  const [, pid, file] = /^\/proc\/(\d{9,})\/(stat|status)$/.exec(String(path)) ?? []
  if (pid === undefined) return undefined
  const owner = ownerOf(Number(pid))
  if (owner === undefined) throw Object.assign(new Error('ENOENT: no such process'), { code: 'ENOENT' })
  return file === 'stat' ? `${pid} (program) S${' 0'.repeat(18)} ${pid} 0` : `Uid:\t${owner}\t${owner}\n`
}

/** Whether a program that accounts need is installed at a path; undefined: it is about something else. */
export function hasProgram(path: string): boolean | undefined {
  if (!programs.has(basename(path)) || !/^\/(usr\/)?s?bin\//.test(path)) return undefined
  return machine.state.isolates && path.startsWith('/usr/sbin/')
}
