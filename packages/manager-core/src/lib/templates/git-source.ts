import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { removeTree } from '../accounts/remove-tree.js'
import { ManagerError } from '../../errors.js'
import { parseGitLocation, type GitLocation } from './git-location.js'
import { listOf } from './refuse-pointers.js'
import { runTool } from './run-tool.js'
import type { TemplateSource } from './template-source.js'

export interface GitSourceOptions {
  /** For what is needed for a moment; names begin with `.fetch-`. */
  readonly workFolder: string
}

/**
 * `git:<url>?path=<folder>#<branch, tag or commit>`: revision is the commit, date its date. The program `git` does it:
 * shallow, without questions, hooks and submodules; keys and helpers for credentials are those of the user;
 * filters are not.
 */
export function createGitSource({ workFolder }: GitSourceOptions): TemplateSource {
  /** Fetches one commit into a repository of its own, which is gone afterwards. */
  async function withCommit<T>(
    { url, ref, credentials }: GitLocation,
    options: readonly string[],
    signal: AbortSignal | undefined,
    work: (git: (attempt: string, ...args: string[]) => Promise<string>) => Promise<T>,
  ): Promise<T> {
    const folder = join(workFolder, `.fetch-${randomUUID()}`)
    const environment = { ...gitEnvironment(url, credentials), GIT_DIR: folder }
    const secrets = credentials ? [credentials.password, encodeURIComponent(credentials.password)].filter(Boolean) : []
    const git = (attempt: string, ...args: string[]) => {
      const of = args[0] === 'fetch' ? environment : { ...environment, ...withoutSettings }
      return runTool('git', { args, attempt, environment: of, folder, signal, secrets })
    }
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await git('Cannot create a repository', 'init', '--quiet', '--bare', '--template=', folder)
      const shallow = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', ...options]
      await git(`Cannot fetch ${ref} of ${url}`, 'fetch', ...shallow, '--', url, ref)
      return await work(git)
    } finally {
      await removeTree(folder)
    }
  }

  return {
    name: 'git',
    accepts: (location) => location.startsWith('git:') && location.length > 'git:'.length,
    latest(location, signal) {
      const place = parseGitLocation(location)
      // Servers that can leave out the files do.
      return withCommit(place, ['--filter=tree:0'], signal, async (git) => {
        const show = ['show', '--no-patch', '--format=%H %cI', 'FETCH_HEAD^{commit}']
        const [revision = '', date = ''] = (await git(`Cannot read ${place.ref} of ${place.url}`, ...show)).split(' ')
        return { revision, date: new Date(date).toISOString() }
      })
    },
    fetch(location, { revision }, folder, signal) {
      const place = parseGitLocation(location)
      return withCommit(place, [], signal, async (git) => {
        const commit = (await git('Cannot read the commit', 'rev-parse', 'FETCH_HEAD^{commit}')).trim()
        if (commit !== revision)
          throw new ManagerError('ERR_TEMPLATE', `${place.ref} of ${place.url} was changed while it was fetched.`, {
            command: 'refresh',
          })
        const attempt = `Cannot take out ${place.path === '' ? 'the files' : `the folder "${place.path}"`} of ${place.url}`
        await git(attempt, 'read-tree', `${commit}:${place.path}`)
        refuseSubmodules(place, await git(attempt, 'ls-files', '--stage', '-z'))
        await git(attempt, `--work-tree=${folder}`, 'checkout-index', '--all', '--quiet')
      })
    },
  }
}

/** Only their commits are in a repository, so that their folders would be empty. */
function refuseSubmodules({ url }: GitLocation, listed: string): void {
  const submodules = listed.split('\0').flatMap((line) => /^160000 [^\t]*\t(.*)$/s.exec(line)?.[1] ?? [])
  if (submodules.length === 0) return
  throw new ManagerError('ERR_TEMPLATE', `${url} has submodules, which are not fetched: ${listOf(submodules)}.`, {
    help: 'Put their files into the repository, or name a folder without them in the location: ?path=<folder>.',
  })
}

/**
 * The user's settings are for the way to a repository. What is in it, as its `.gitattributes`, chooses none of the
 * programs that they name.
 */
const withoutSettings = { GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1', GIT_ATTR_NOSYSTEM: '1' }

/** Settings by environment: they hold whatever the user's are, and credentials are in no command line. */
function gitEnvironment(url: string, credentials: GitLocation['credentials']): Record<string, string | undefined> {
  const settings: [name: string, value: string][] = [
    ['core.hooksPath', devNull],
    ['gc.auto', '0'],
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', '60'],
  ]
  if (credentials) {
    // Only for this host, and no other credential helper may keep them.
    const { origin } = new URL(url)
    const say =
      '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$STEWARD_USER" "$STEWARD_PASSWORD"; }; f'
    settings.push([`credential.${origin}.helper`, ''], [`credential.${origin}.helper`, say])
  }
  const numbered = settings.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ])
  return {
    ...Object.fromEntries(numbered),
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_CONFIG_PARAMETERS: undefined,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: undefined,
    SSH_ASKPASS: undefined,
    GIT_ALLOW_PROTOCOL: 'https:http:ssh:file',
    GIT_SSH_COMMAND: process.env.GIT_SSH_COMMAND ?? 'ssh -o BatchMode=yes -o ConnectTimeout=30',
    // This may run in a hook of another repository.
    GIT_WORK_TREE: undefined,
    GIT_INDEX_FILE: undefined,
    GIT_OBJECT_DIRECTORY: undefined,
    GIT_NAMESPACE: undefined,
    ...(credentials && { STEWARD_USER: credentials.user, STEWARD_PASSWORD: credentials.password }),
  }
}
