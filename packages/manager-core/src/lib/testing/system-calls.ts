import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Calls that open, change or run what a path leads to. Others only look at it. */
const watched =
  'open,openat,openat2,creat,truncate,execve,execveat,unlink,unlinkat,rmdir,mkdir,mkdirat,mknod,mknodat,rename,renameat,' +
  'renameat2,link,linkat,symlink,symlinkat,chmod,fchmodat,?fchmodat2,chown,lchown,fchownat,utimensat,setxattr'

/** Those that never follow a link at the end of a path. */
const plain =
  /^(?:unlink|unlinkat|rmdir|mkdir|mkdirat|mknod|mknodat|rename|renameat|renameat2|symlink|symlinkat|lchown)$/

/**
 * The calls of a program and its children, as strace writes them, a list for each thread of those that run as root: not of
 * those that become another user by setpriv.
 */
export function traceRoot(
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
): { output: string; calls: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'steward-strace-'))
  try {
    const options = [
      '-ff',
      '-y',
      '-s',
      '4096',
      '-e',
      `trace=${watched},clone,clone3,fork,vfork`,
      '-o',
      join(folder, 'calls'),
    ]
    const output = execFileSync('strace', ['--seccomp-bpf', ...options, '--', ...command], {
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 2 ** 26,
    })
    const threads = new Map(
      globSync(join(folder, 'calls.*')).map((file) => [file.split('.').at(-1), readFileSync(file, 'utf8').split('\n')]),
    )
    // A child is another user's when it was made by one who had become that user.
    const others = new Set<string>()
    const spread = (pid: string, isOther: boolean) => {
      if (isOther) others.add(pid)
      let became = isOther
      for (const call of threads.get(pid) ?? []) {
        if (/^execve\("[^"]*\/setpriv".* = 0$/.test(call)) {
          became = true
          others.add(pid)
        }
        const child = /^(?:clone3?|v?fork)\(.* = (\d+)/.exec(call)?.[1]
        if (child !== undefined && became) spread(child, true)
      }
    }
    for (const pid of threads.keys()) if (pid !== undefined && !others.has(pid)) spread(pid, false)
    const calls = [...threads].flatMap(([pid, lines]) =>
      pid === undefined
        ? []
        : others.has(pid)
          ? lines.slice(
              0,
              Math.max(
                0,
                lines.findIndex((line) => /^execve\("[^"]*\/setpriv"/.test(line)),
              ),
            )
          : lines,
    )
    return { output, calls }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * The calls among them with which root could be led elsewhere by a link in a folder that an account can change: by a path
 * with more than one name below it, or by one whose last part is followed. What is opened by a name in a folder that is
 * open cannot be led elsewhere, as with `openat`, `/proc/self/fd/…` and O_NOFOLLOW.
 *
 * @param folders matches the start of an absolute path: a folder in which an account can change what it likes
 * @param canary nothing of it may be reached
 */
export function misled(calls: readonly string[], folders: RegExp, canary: string): readonly string[] {
  return calls.filter((call) => {
    if (call.includes(` = 0`) || / = \d+</.test(call)) {
      const result = / = \d+<([^>]*)>$/.exec(call)?.[1]
      if (result !== undefined && isBelow(result, canary)) return true
    }
    const name = /^(\w+)\(/.exec(call)?.[1]
    if (name === undefined || /^(?:clone3?|v?fork)$/.test(name)) return false
    const follows = !plain.test(name) && !/O_NOFOLLOW|AT_SYMLINK_NOFOLLOW|O_EXCL/.test(call) && !/^linkat?$/.test(name)
    return pathsOf(call).some(({ from, path }) => {
      const through = /^\/proc\/self\/fd\/\d+\/?(.*)$/.exec(path)?.[1]
      if (through !== undefined) return through !== '' && (through.includes('/') || (follows && !isDots(through)))
      const absolute = resolve(from, path)
      if (isBelow(absolute, canary)) return true
      const folder = folders.exec(absolute)?.[0]
      if (folder === undefined) return false
      // Below a folder that is open, only the names after it count.
      const base = !path.startsWith('/') && isBelow(from, folder) ? from : folder
      const names = absolute
        .slice(base.length + 1)
        .split('/')
        .filter(Boolean)
      return names.length > 1 || (names.length === 1 && follows)
    })
  })
}

const isDots = (name: string) => name === '.' || name === '..'

/** The paths of a call, and the folder from which each is looked up. */
function pathsOf(call: string): readonly { readonly from: string; readonly path: string }[] {
  const all = call.slice(call.indexOf('(') + 1, call.lastIndexOf(' = '))
  const found = [...all.matchAll(/(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/g)]
  const taken = /^(?:link|linkat|rename|renameat|renameat2)\(/.test(call) ? found.slice(0, 2) : found.slice(0, 1)
  // Where a new link leads is not looked up.
  const looked = call.startsWith('symlink') ? found.slice(1, 2) : taken
  return looked.map(([, from = '/', path = '']) => ({ from, path }))
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}
