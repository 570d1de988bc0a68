import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Surroundings } from './surroundings.js'

/**
 * The manager's home: what `--home` says, else `APPS_HOME`, else the current folder when it has a `config.sh`, else
 * `.manager` in it when that has one (a checkout after `npm start`), else `.steward` in the user's home.
 * Not specified; chosen because an operator's home should be found from anywhere, and a project's from its folder.
 */
export function homeFolder(option: string | undefined, { env, cwd }: Pick<Surroundings, 'env' | 'cwd'>): string {
  const named = option ?? env.APPS_HOME
  if (named) return resolve(cwd, named)
  const here = [cwd, join(cwd, '.manager')].find((folder) => existsSync(join(folder, 'config.sh')))
  return here ?? join(env.HOME || homedir(), '.steward')
}
