import { Readable } from 'node:stream'
import { exists } from '../parts.js'
import { noFolder } from '../remote-files/path.js'
import type { RemoteEntry, RemoteFiles } from '../remote-files/remote-files.js'
import { TargetError, type TargetErrorCode } from '../target-error.js'
import { wholeStream } from '../whole-stream.js'
import { runCommand, type CommandEnd } from './run-command.js'
import { shellWord } from './shell-word.js'
import { lastLines } from './errors.js'
import type { SharedConnection } from './shared-connection.js'
import type { SshMaster } from './ssh-master.js'
import { startSsh, type SshEnd } from './ssh-process.js'
import { serverName, type SshSettings } from './settings.js'

/** What the scripts exit with when they know what is wrong. */
const exit = { noFolder: 91, missing: 92, exists: 94 } as const
/** Of a program that was ended because its file grew beyond a limit: 128 + SIGXFSZ. */
const fileLimitReached = 153

const words: readonly (readonly [RegExp, TargetErrorCode])[] = [
  [/no space|quota|file too large|file size limit/i, 'ERR_TARGET_FULL'],
  [/permission denied|read-only|not permitted/i, 'ERR_TARGET_REFUSED'],
  [/no such file/i, 'ERR_TARGET_NOT_FOUND'],
]

/** Of GNU and BusyBox, else of BSD: mode in hexadecimal, bytes, seconds since 1970, name. */
const statCommand = (paths: string) =>
  `if stat -c %f . >/dev/null 2>&1; then stat -c '%f %s %Y %n' ${paths}; else stat -f '%Xp %z %m %N' ${paths}; fi`

const scripts = {
  stat: `[ -f "$1" ] && [ ! -L "$1" ] || exit ${exit.missing}; ${statCommand('"$1"')}`,
  tree: `[ -d "$1" ] || exit 0; find "$1" -exec sh -c ${shellWord(statCommand('"$@"'))} sh {} +`,
  // A `delete` may remove the folder that it leaves empty meanwhile.
  create:
    'mkdir -p "$2" && { true > "$1" || mkdir -p "$2"; } 2>/dev/null && cat > "$1" && { sync "$1" 2>/dev/null || sync; }',
  append: `[ -f "$1" ] || exit ${exit.missing}; cat >> "$1" && { sync "$1" 2>/dev/null || sync; }`,
  read: 'tail -c "+$2" < "$1" | head -c "$3"',
  replace: '[ ! -d "$2" ] && mv -f "$1" "$2"',
  publish: `ln "$1" "$2" && rm -f "$1" || { [ ! -e "$2" ] || exit ${exit.exists}; exit 1; }`,
  remove: `[ -f "$1" ] && [ ! -L "$1" ] || exit ${exit.missing}; rm -f "$1"`,
  removeFolder: `rmdir "$1" 2>/dev/null || exit ${exit.missing}`,
} as const

/**
 * Files of a server that has no SFTP, by commands of a POSIX shell over one connection. Source: POSIX.1,
 * but for `stat` and `head -c`, which GNU and BusyBox have.
 *
 * @param how `masters`: closed by `close()`. `hasher`: command that prints the SHA-256 of its input, in front of all
 * else; undefined: the server cannot hash.
 */
export function commandFiles(
  settings: SshSettings,
  { masters, hasher }: { masters: SharedConnection<SshMaster>; hasher: string | undefined },
): RemoteFiles {
  const server = serverName(settings)

  async function run(
    script: keyof typeof scripts | 'sha256',
    args: readonly string[],
    options: Parameters<typeof runCommand>[2] = {},
  ): Promise<CommandEnd> {
    const command = shellCommand(settings, script === 'sha256' ? `${hasher} < "$1"` : scripts[script], args)
    const end = await masters.use(options.signal, (master) => runCommand(master.settings, command, options))
    if (end.exitCode === exit.noFolder) throw noFolder(settings.folder, server)
    return end
  }

  /** @throws TargetError unless it went well. */
  async function runWell(...call: Parameters<typeof run>): Promise<string> {
    const end = await run(...call)
    if (end.exitCode === 0) return end.stdout
    if (end.exitCode === exit.missing) throw new TargetError('ERR_TARGET_NOT_FOUND', `There is no "${call[1][0]}".`)
    throw commandError(end, `${server} cannot ${call[0]} "${call[1][0]}"`)
  }

  /** @returns whether it went well; false: there is none. */
  async function runIfThere(...call: Parameters<typeof run>): Promise<boolean> {
    try {
      await runWell(...call)
      return true
    } catch (error) {
      if (TargetError.is(error) && error.code === 'ERR_TARGET_NOT_FOUND') return false
      throw error
    }
  }

  /** All below a folder, by one command. */
  async function tree(folder: string, signal?: AbortSignal): Promise<ReadonlyMap<string, RemoteEntry[]>> {
    const folders = new Map<string, RemoteEntry[]>()
    for (const line of (await runWell('tree', [below(folder)], { signal })).split('\n')) {
      const found = entryOf(line)
      if (!found) continue
      const inside = folders.get(found.folder) ?? []
      folders.set(found.folder, inside)
      inside.push(found.entry)
    }
    return folders
  }

  return {
    movesExclusively: true,

    async stat(path, signal) {
      const end = await run('stat', [below(path)], { signal })
      if (end.exitCode === exit.missing) return undefined
      if (end.exitCode !== 0) throw commandError(end, `${server} cannot look at "${path}"`)
      return entryOf(end.stdout.trimEnd())?.entry
    },

    list: async (folder, signal) => (await tree(folder, signal)).get(folder) ?? [],

    async snapshot(folder, signal) {
      const folders = await tree(folder, signal)
      return { list: (inside) => Promise.resolve(folders.get(inside) ?? []) }
    },

    async write(path, start, chunks, { signal, onBytes }) {
      async function* counted() {
        for await (const chunk of chunks) {
          yield chunk
          onBytes(chunk.length)
        }
      }
      const folder = path.split('/').slice(0, -1).join('/')
      await runWell(start === 0 ? 'create' : 'append', [below(path), below(folder)], { signal, input: counted() })
    },

    async read(path, start, end, signal) {
      const { connection, release } = await masters.lease(signal)
      const args = [below(path), String(start + 1), String(end - start)]
      const command = shellCommand(settings, scripts.read, args)
      const { child, ended, kill } = startSsh(connection.settings, { command })
      child.stdin.end()
      const output = Readable.from(untilTheEnd(), { objectMode: false })
      output.once('close', () => {
        kill()
        release(signal?.aborted === true)
      })
      return wholeStream(output, { key: path, bytes: end - start, signal, lends: true })

      async function* untilTheEnd(): AsyncGenerator<Buffer, void, undefined> {
        yield* child.stdout as AsyncIterable<Buffer>
        const { error, exitCode, output: said } = await ended
        if (error) throw error
        if (exitCode !== 0) throw commandError({ exitCode, output: said }, `${server} cannot read "${path}"`)
      }
    },

    async move(from, to, replace, signal) {
      const end = await run(replace ? 'replace' : 'publish', [below(from), below(to)], { signal })
      if (end.exitCode === exit.exists) throw exists(to)
      if (end.exitCode !== 0) throw commandError(end, `${server} cannot rename a file to "${to}"`)
    },

    remove: (path, signal) => runIfThere('remove', [below(path)], { signal }),

    removeFolder: (path, signal) => runIfThere('removeFolder', [below(path)], { signal }),

    ...(hasher !== undefined && {
      sha256: async (path, signal) => (await runWell('sha256', [below(path)], { signal })).slice(0, 64),
    }),

    close() {
      masters.close()
      return Promise.resolve()
    },
  }
}

/** In the folder; whatever the login shell is, `sh` reads the script. */
export function shellCommand({ folder }: SshSettings, script: string, args: readonly string[]): string {
  const start = `cd "$0" 2>/dev/null || exit ${exit.noFolder}; ${script}`
  return ['sh', '-c', start, folder.startsWith('-') ? `./${folder}` : folder, ...args].map(shellWord).join(' ')
}

/** Never taken for an option. */
function below(path: string): string {
  return path === '' ? '.' : `./${path}`
}

/** A line of `stat`, of a path that begins with `./`; undefined: the folder itself, or a name with a line break. */
function entryOf(line: string): { readonly folder: string; readonly entry: RemoteEntry } | undefined {
  const [, mode = '', size, modified, path = ''] = /^([0-9a-fA-F]+) (\d+) (\d+) \.\/(.+)$/.exec(line) ?? []
  if (path === '') return undefined
  const slash = path.lastIndexOf('/')
  const type = Number.parseInt(mode, 16) & 0o170_000
  const kind = type === 0o100_000 ? 'file' : type === 0o040_000 ? 'folder' : 'other'
  return {
    folder: path.slice(0, Math.max(0, slash)),
    entry: { name: path.slice(slash + 1), size: Number(size), modified: new Date(Number(modified) * 1000), kind },
  }
}

function commandError({ exitCode, output }: Pick<SshEnd, 'exitCode' | 'output'>, attempt: string): TargetError {
  const code =
    exitCode === fileLimitReached ? 'ERR_TARGET_FULL' : words.find(([expression]) => expression.test(output))?.[1]
  const reason = output.trim() === '' ? `exit code ${exitCode}` : lastLines(output)
  return new TargetError(code ?? 'ERR_TARGET_FAILED', `${attempt}: ${reason}`)
}
