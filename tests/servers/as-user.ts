import { run } from './programs.js'

/**
 * The command as `user` when we are root, and on Linux as a process that the kernel ends with us (`deathSignal`), even
 * when we are killed by SIGKILL.
 */
export function asUser(user: string, command: string[], deathSignal: NodeJS.Signals = 'SIGKILL'): string[] {
  if (process.platform !== 'linux') return command
  const identity = isRoot() ? [`--reuid=${user}`, `--regid=${user}`, '--init-groups'] : []
  return ['setpriv', ...identity, `--pdeathsig=${deathSignal.slice('SIG'.length)}`, ...command]
}

/** Hands a folder to the user who will run the server. */
export async function giveTo(user: string, dir: string): Promise<void> {
  if (isRoot()) await run(['chown', '-R', user, dir])
}

export function isRoot(): boolean {
  return process.getuid?.() === 0
}
