import { existsSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Surroundings } from './surroundings.js'

/** Written by `manager setup`: the home of this machine's manager. */
const ofMachine = '/etc/steward/home'

/**
 * The manager's home: what `--home` says, else `APPS_HOME`, else the current folder when it has a `config.sh`, else
 * `.manager` in it when that has one (a checkout after `npm start`), else the one of this machine that `setup` made, else
 * `.steward` in the user's home.
 * Not specified; chosen because an operator's home should be found from anywhere, and a project's from its folder.
 *
 * @param fallback of commands that the current folder does not matter to
 */
export function homeFolder(
  option: string | undefined,
  { env, cwd }: Pick<Surroundings, 'env' | 'cwd'>,
  fallback?: string,
): string {
  const named = option ?? env.APPS_HOME
  if (named) return resolve(cwd, named)
  if (fallback !== undefined) return recorded() ?? fallback
  const here = [cwd, join(cwd, '.manager')].find((folder) => existsSync(join(folder, 'config.sh')))
  return here ?? recorded() ?? join(env.HOME || homedir(), '.steward')
}

/** Whether a manager was made there; also where that cannot be seen, which commands then say why. */
export function hasManager(home: string): boolean {
  try {
    return statSync(join(home, 'config.sh'), { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

function recorded(): string | undefined {
  return existsSync(ofMachine) ? readFileSync(ofMachine, 'utf8').trim() : undefined
}
