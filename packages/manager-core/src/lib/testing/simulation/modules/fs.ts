// Stands in for `node:fs`: the same calls on the simulated disk, each of them seen by the simulated machine.
import type * as Fs from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { isSimulated } from '../disk.js'
import * as files from '../files.js'
import { act, current, inTurn, look, machine } from '../machine.js'
import { hasProgram, processIds, systemFile } from '../system.js'

const real = globalThis.process.getBuiltinModule('node:fs')

function noRoom(path: unknown): Error {
  return Object.assign(new Error(`ENOSPC: no space left on device, write '${String(path)}'`), {
    code: 'ENOSPC',
    errno: -28,
    syscall: 'write',
  })
}

/** @throws Error ENOSPC */
export function takeRoom(path: unknown): void {
  const { state } = machine
  if (!current() || !state.isDiskFull) return
  if (state.room-- <= 0) throw noRoom(path)
}

type Path = Fs.PathLike | number

/** What is not on the simulated disk is read where it is. */
const diskOf = (path: Path) =>
  (typeof path === 'number' || isSimulated(String(path)) ? files : real) as Pick<
    typeof real,
    keyof typeof files & keyof typeof real
  >

function halfOf(content: unknown): Uint8Array {
  const bytes = typeof content === 'string' ? Buffer.from(content) : (content as Uint8Array)
  return bytes.subarray(0, bytes.length >> 1)
}

/** What a dead process had open is closed by the kernel. */
function keepOpen(fd: number, path: Fs.PathLike): number {
  names.set(fd, String(path))
  const process = current()
  if (!process) return fd
  const close = () => {
    try {
      files.closeSync(fd)
    } catch {
      // It was closed.
    }
  }
  process.held.add(close)
  closers.set(fd, () => process.held.delete(close))
  return fd
}

const closers = new Map<number, () => void>()
/** Paths of open files: numbers are others in another run. */
const names = new Map<number, string>()
const nameOf = (file: Path) => (typeof file === 'number' ? names.get(file) : String(file)) ?? 'a file'

const isForWriting = (flags: unknown) =>
  typeof flags === 'string' ? /[wa+]/.test(flags) : ((flags as number | undefined) ?? 0) % 4 !== 0

export const writeFileSync: typeof Fs.writeFileSync = (path, content, options) =>
  act(
    `write ${nameOf(path)}`,
    () => {
      takeRoom(path)
      files.writeFileSync(path, content, options)
    },
    () => files.writeFileSync(path, halfOf(content), options),
  )

export const appendFileSync: typeof Fs.appendFileSync = (path, content, options) =>
  act(`append ${String(path)}`, () => {
    takeRoom(path)
    files.appendFileSync(path, content, options)
  })

export const mkdirSync = ((path: Fs.PathLike, options?: Fs.MakeDirectoryOptions) =>
  act(`mkdir ${String(path)}`, () => {
    takeRoom(path)
    return files.mkdirSync(path, options)
  })) as typeof Fs.mkdirSync

export const mkdtempSync = ((prefix: string) =>
  act(`mkdtemp ${prefix}`, () => {
    takeRoom(prefix)
    const path = prefix + machine.random.bytes(4).toString('hex')
    files.mkdirSync(path, { mode: 0o700 })
    return path
  })) as typeof Fs.mkdtempSync

export const renameSync: typeof Fs.renameSync = (from, to) =>
  act(`rename ${String(from)} ${String(to)}`, () => files.renameSync(from, to))

export const symlinkSync: typeof Fs.symlinkSync = (target, path, type) =>
  act(`symlink ${String(path)}`, () => {
    takeRoom(path)
    files.symlinkSync(target, path, type)
  })

export const linkSync: typeof Fs.linkSync = (from, to) =>
  act(`link ${String(to)}`, () => {
    takeRoom(to)
    files.linkSync(from, to)
  })

export const copyFileSync: typeof Fs.copyFileSync = (from, to, mode) =>
  act(
    `copy ${String(to)}`,
    () => {
      takeRoom(to)
      files.copyFileSync(from, to, mode)
    },
    () => files.writeFileSync(to, halfOf(files.readFileSync(from))),
  )

export const unlinkSync: typeof Fs.unlinkSync = (path) =>
  act(`unlink ${String(path)}`, () => {
    files.unlinkSync(path)
    giveRoom(path)
  })

export const rmdirSync: typeof Fs.rmdirSync = (path) => act(`rmdir ${String(path)}`, () => files.rmdirSync(path))

function giveRoom(path: Fs.PathLike): void {
  // The reserve has room for some pages of the registry.
  if (String(path).endsWith('-reserve')) machine.state.room = 200
}

/** Entry by entry, so that it can end in its middle. */
export const rmSync: typeof Fs.rmSync = (path, options = {}) => {
  const stats = look(() => files.lstatSync(path, { throwIfNoEntry: false }))
  if (!stats && options.force) return
  if (!stats?.isDirectory() || !options.recursive) return act(`rm ${String(path)}`, () => remove(path, options))
  for (const name of files.readdirSync(path)) rmSync(`${String(path)}/${name}`, options)
  rmdirSync(path)
}

function remove(path: Fs.PathLike, options: Fs.RmOptions): void {
  files.rmSync(path, options)
  giveRoom(path)
}

/** Entry by entry, so that it can end in its middle. */
export const cpSync: typeof Fs.cpSync = (from, to, options = {}) => {
  const [source, target] = [String(from), String(to)]
  if (options.filter && !options.filter(source, target)) return
  const stats = look(() => files.lstatSync(source))
  if (stats.isDirectory()) {
    if (!options.recursive) throw Object.assign(new Error(`${source} is a folder`), { code: 'ERR_FS_EISDIR' })
    if (!files.existsSync(target)) mkdirSync(target, { recursive: true, mode: stats.mode })
    for (const name of files.readdirSync(source)) cpSync(`${source}/${name}`, `${target}/${name}`, options)
  } else if (stats.isSymbolicLink()) {
    rmSync(target, { force: true })
    symlinkSync(files.readlinkSync(source), target)
  } else {
    copyFileSync(source, target, options.mode ?? 0)
  }
  if (options.preserveTimestamps && !stats.isSymbolicLink()) utimesSync(target, stats.atime, stats.mtime)
}

export const chmodSync: typeof Fs.chmodSync = (path, mode) =>
  act(`chmod ${String(path)}`, () => files.chmodSync(path, mode))
export const chownSync: typeof Fs.chownSync = (path, uid, gid) =>
  act(`chown ${String(path)}`, () => files.chownSync(path, uid, gid))
export const lchownSync: typeof Fs.lchownSync = (path, uid, gid) =>
  act(`lchown ${String(path)}`, () => files.lchownSync(path, uid, gid))
export const utimesSync: typeof Fs.utimesSync = (path, accessed, modified) =>
  act(`utimes ${nameOf(path)}`, () => files.utimesSync(path, accessed, modified))
export const truncateSync: typeof Fs.truncateSync = (path, length) =>
  act(`truncate ${String(path)}`, () => files.truncateSync(path, length))
export const ftruncateSync: typeof Fs.ftruncateSync = (fd, length) =>
  act(`ftruncate ${nameOf(fd)}`, () => files.ftruncateSync(fd, length))
export const fchmodSync: typeof Fs.fchmodSync = (fd, mode) =>
  act(`fchmod ${nameOf(fd)}`, () => files.fchmodSync(fd, mode))
export const fchownSync: typeof Fs.fchownSync = (fd, uid, gid) =>
  act(`fchown ${nameOf(fd)}`, () => files.fchownSync(fd, uid, gid))
export const fsyncSync: typeof Fs.fsyncSync = (fd) => look(() => files.fsyncSync(fd))
export const fdatasyncSync: typeof Fs.fdatasyncSync = (fd) => look(() => files.fdatasyncSync(fd))

export const futimesSync = utimesSync as unknown as typeof Fs.futimesSync
export const lutimesSync: typeof Fs.lutimesSync = (path, accessed, modified) =>
  act(`lutimes ${String(path)}`, () => files.lutimesSync(path, accessed, modified))

export const openSync: typeof Fs.openSync = (path, flags, mode) =>
  isForWriting(flags)
    ? act(`open ${String(path)}`, () => {
        takeRoom(path)
        return keepOpen(files.openSync(path, flags, mode), path)
      })
    : look(() => keepOpen(diskOf(path).openSync(path, flags, mode), path))

export const closeSync: typeof Fs.closeSync = (fd) => {
  look(() => files.closeSync(fd))
  closers.get(fd)?.()
  closers.delete(fd)
}

export const writeSync = ((fd: number, bytes: Uint8Array | string, ...rest: []) =>
  act(
    `write to ${nameOf(fd)}`,
    () => {
      takeRoom(fd)
      return files.writeSync(fd, bytes, ...rest)
    },
    () => files.writeSync(fd, halfOf(bytes)),
  )) as typeof Fs.writeSync

export const readSync: typeof Fs.readSync = ((...args: Parameters<typeof Fs.readSync>) =>
  look(() => (files.readSync as typeof Fs.readSync)(...args))) as typeof Fs.readSync

/** The system shows simulated processes and accounts, too. */
export const readFileSync = ((path: Path, ...rest: []) =>
  look(() => systemFile(path) ?? diskOf(path).readFileSync(path as string, ...rest))) as typeof Fs.readFileSync

export const existsSync: typeof Fs.existsSync = (path) =>
  look(() => hasProgram(String(path)) ?? diskOf(path).existsSync(path))
/** All users of the machine may read what is not on the simulated disk. */
export const statSync = ((...args: Parameters<typeof Fs.statSync>) =>
  look(() => {
    const disk = diskOf(args[0])
    const stats = disk.statSync(...args)
    return isSimulated(String(args[0])) || !stats ? stats : Object.assign(stats, { mode: Number(stats.mode) | 0o005 })
  })) as typeof Fs.statSync
export const lstatSync = ((...args: Parameters<typeof Fs.lstatSync>) =>
  look(() => diskOf(args[0]).lstatSync(...args))) as typeof Fs.lstatSync
export const fstatSync = ((...args: Parameters<typeof Fs.fstatSync>) =>
  look(() => files.fstatSync(...args))) as typeof Fs.fstatSync
export const readdirSync = ((...args: Parameters<typeof Fs.readdirSync>) =>
  look(() =>
    args[0] === '/proc' ? processIds().map(String) : diskOf(args[0]).readdirSync(...args),
  )) as typeof Fs.readdirSync
export const readlinkSync = ((path: Fs.PathLike) =>
  look(() => diskOf(path).readlinkSync(path))) as typeof Fs.readlinkSync
export const realpathSync = ((path: Fs.PathLike) =>
  look(() => diskOf(path).realpathSync(path))) as typeof Fs.realpathSync
export const accessSync: typeof Fs.accessSync = (path, mode) => look(() => diskOf(path).accessSync(path, mode))
export const globSync = ((...args: Parameters<typeof Fs.globSync>) =>
  look(() => real.globSync(...args))) as typeof Fs.globSync
export const statfsSync = ((path: Fs.PathLike) =>
  look(() => {
    const stats = files.statfsSync(path)
    if (machine.state.isDiskFull && current()) stats.bavail = stats.bfree = machine.state.room > 0 ? 256 : 0
    return stats
  })) as typeof Fs.statfsSync

export const { constants, openAsBlob, Stats } = real

interface ReadOptions {
  readonly start?: number
  readonly end?: number
  readonly highWaterMark?: number
}

/** A stream that reads when it is its turn. */
export function readingStream(open: () => number, close: (fd: number) => void, options: ReadOptions = {}): Readable {
  const { start, end = Infinity, highWaterMark = 65_536 } = options
  let fd: number | undefined
  let at = start ?? 0
  return new Readable({
    highWaterMark,
    read(size) {
      void inTurn(() => {
        try {
          fd ??= open()
          const buffer = Buffer.alloc(Math.max(0, Math.min(size, end - at + 1)))
          const count = buffer.length === 0 ? 0 : readSync(fd, buffer, 0, buffer.length, at)
          at += count
          this.push(count === 0 ? null : buffer.subarray(0, count))
        } catch (error) {
          this.destroy(error as Error)
        }
      })
    },
    destroy(error, done) {
      if (fd !== undefined && !current()?.isDead) close(fd)
      done(error)
    },
  })
}

/** A stream that writes when it is its turn. */
export function writingStream(open: () => number, close: (fd: number) => void): Writable {
  let fd: number | undefined
  const attempt = (done: (error?: Error | null) => void, work: () => void) =>
    void inTurn(() => {
      try {
        work()
      } catch (error) {
        return done(error as Error)
      }
      done()
    })
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      attempt(done, () => writeSync((fd ??= open()), chunk))
    },
    final(done) {
      attempt(done, () => void (fd ??= open()))
    },
    destroy(error, done) {
      if (fd !== undefined && !current()?.isDead) close(fd)
      done(error)
    },
  })
}

export const createReadStream = ((path: Fs.PathLike, options?: ReadOptions | BufferEncoding) => {
  const stream = readingStream(() => openSync(path, 'r'), closeSync, typeof options === 'string' ? {} : options)
  return typeof options === 'string' ? stream.setEncoding(options) : stream
}) as unknown as typeof Fs.createReadStream

export const createWriteStream = ((path: Fs.PathLike, { mode, flags = 'w' }: { mode?: number; flags?: string } = {}) =>
  writingStream(() => openSync(path, flags, mode), closeSync)) as unknown as typeof Fs.createWriteStream

/** Calls back with what a call that blocks returns. */
function calledBack(work: (...args: never[]) => unknown) {
  return (...given: unknown[]): void => {
    const done = given.pop() as (error: unknown, result?: unknown) => void
    void (async () => {
      let result: unknown
      try {
        result = await inTurn(() => work(...(given as never[])))
      } catch (error) {
        return done(error)
      }
      done(null, result)
    })()
  }
}

export const open = calledBack(openSync)
export const close = calledBack(closeSync)
export const write = calledBack(writeSync)
export const writev = calledBack((fd: number, parts: readonly Uint8Array[]) => writeSync(fd, Buffer.concat(parts)))
export const rm = calledBack(rmSync)
export const futimes = calledBack(futimesSync)
export const ftruncate = calledBack(ftruncateSync)
