// Stands in for `node:fs/promises`: the calls of `fs.ts`, each when it is its turn.
import type * as Fs from 'node:fs/promises'
import { inTurn } from '../machine.js'
import * as fs from './fs.js'

/** Promises what a call that blocks does. */
function promised<Args extends unknown[], Result>(work: (...args: Args) => Result) {
  return (...args: Args): Promise<Result> => inTurn(() => work(...args))
}

export const access = promised(fs.accessSync)
export const appendFile = promised(fs.appendFileSync)
export const chmod = promised(fs.chmodSync)
export const chown = promised(fs.chownSync)
export const copyFile = promised(fs.copyFileSync)
export const link = promised(fs.linkSync)
export const lstat = promised(fs.lstatSync)
export const lutimes = promised(fs.lutimesSync)
export const mkdir = promised(fs.mkdirSync)
export const mkdtemp = promised(fs.mkdtempSync)
export const readFile = promised(fs.readFileSync)
export const readdir = promised(fs.readdirSync)
export const readlink = promised(fs.readlinkSync)
export const realpath = promised(fs.realpathSync)
export const rename = promised(fs.renameSync)
export const rm = promised(fs.rmSync)
export const rmdir = promised(fs.rmdirSync)
export const stat = promised(fs.statSync)
export const statfs = promised(fs.statfsSync)
export const symlink = promised(fs.symlinkSync)
export const truncate = promised(fs.truncateSync)
export const unlink = promised(fs.unlinkSync)
export const utimes = promised(fs.utimesSync)
export const writeFile = promised((path: Fs.FileHandle | string, ...rest: [string | Uint8Array, object?]) => {
  fs.writeFileSync(typeof path === 'string' ? path : path.fd, ...rest)
})
export { constants } from './fs.js'

/** Folder by folder, as `cp` of Node asks its filter. */
export async function cp(from: string, to: string, options: Parameters<typeof Fs.cp>[2] = {}): Promise<void> {
  const { filter, ...rest } = options
  const left = new Set<string>()
  if (filter) await collect(from, to, filter, left)
  await inTurn(() => fs.cpSync(from, to, { ...rest, filter: (source) => !left.has(source) }))
}

async function collect(
  from: string,
  to: string,
  filter: (from: string, to: string) => boolean | Promise<boolean>,
  left: Set<string>,
): Promise<void> {
  if (!(await filter(from, to))) return void left.add(from)
  if (!fs.lstatSync(from).isDirectory()) return
  for (const name of fs.readdirSync(from)) await collect(`${from}/${name}`, `${to}/${name}`, filter, left)
}

export const open = promised((path: string, flags: string | number = 'r', mode?: number) =>
  handleOf(fs.openSync(path, flags, mode)),
)

function handleOf(fd: number): Fs.FileHandle {
  let isOpen = true
  const close = () => {
    if (isOpen) fs.closeSync(fd)
    isOpen = false
  }
  const closed = promised(close)
  const handle = {
    fd,
    close: closed,
    stat: promised(() => fs.fstatSync(fd)),
    sync: promised(() => fs.fsyncSync(fd)),
    datasync: promised(() => fs.fdatasyncSync(fd)),
    truncate: promised((length?: number) => fs.ftruncateSync(fd, length)),
    chmod: promised((mode: number) => fs.fchmodSync(fd, mode)),
    chown: promised((uid: number, gid: number) => fs.fchownSync(fd, uid, gid)),
    readFile: promised((options: BufferEncoding | null = null) => fs.readFileSync(fd, options as BufferEncoding)),
    writeFile: promised((content: string | Uint8Array) => fs.writeFileSync(fd, content)),
    appendFile: promised((content: string | Uint8Array) => fs.appendFileSync(fd, content)),
    read: promised((buffer: Buffer, offset?: number, length?: number, position?: number | null) => ({
      bytesRead: fs.readSync(fd, buffer, offset ?? 0, length ?? buffer.length - (offset ?? 0), position ?? null),
      buffer,
    })),
    write: promised((bytes: Uint8Array) => ({ bytesWritten: fs.writeSync(fd, bytes), buffer: bytes })),
    createReadStream: (options: { autoClose?: boolean; start?: number; end?: number } = {}) =>
      fs.readingStream(
        () => fd,
        () => {
          if (options.autoClose !== false) close()
        },
        options,
      ),
    createWriteStream: () => fs.writingStream(() => fd, close),
    [Symbol.asyncDispose]: closed,
  }
  return handle as unknown as Fs.FileHandle
}
