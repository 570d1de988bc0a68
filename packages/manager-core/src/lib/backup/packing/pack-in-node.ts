import { createHash } from 'node:crypto'
import { createReadStream, type Stats } from 'node:fs'
import { lstat, open, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createTarPacker } from 'modern-tar'
import type { TarHeader } from 'modern-tar'
import type { Measure } from './meter.js'

/** A file or folder with all in it, or text, and its path in the tar. */
export type TarInput =
  | {
      readonly source: string
      readonly target: string
      /** Of a file that must be exactly this. */
      readonly expected?: Measure
    }
  | { readonly content: string; readonly target: string; readonly mode: number }

export interface PackInNodeOptions {
  /** Absolute paths that stay out, with all in them. */
  readonly isLeftOut?: (path: string) => boolean
  /** Names of others mean nothing where it is unpacked. Default: numbers of the owners. */
  readonly anonymous?: boolean
}

export interface PackingInNode {
  readonly content: Readable
  /** Resolves with what changed while it was read. */
  readonly done: Promise<readonly string[]>
}

type Add = (header: TarHeader) => WritableStream<Uint8Array>

/** Sorted by name. Files that go away meanwhile are left out; sockets and the like are, too. */
export function packInNode(inputs: readonly TarInput[], options: PackInNodeOptions = {}): PackingInNode {
  const { readable, controller } = createTarPacker()
  const changes: string[] = []
  const add: Add = (header) => controller.add(options.anonymous ? { ...header, uid: 0, gid: 0 } : header)
  const work = async () => {
    for (const input of inputs)
      if ('content' in input) await addText(input, add)
      else if (input.expected) await addExactly(input.source, input.target, input.expected, add)
      else await addPath(input.source, input.target, add, options, changes)
    controller.finalize()
    return changes
  }
  const done = work()
  done.catch((error: unknown) => controller.error(error))
  return { content: Readable.fromWeb(readable as Parameters<typeof Readable.fromWeb>[0]), done }
}

async function addText({ content, target, mode }: Extract<TarInput, { content: string }>, add: Add): Promise<void> {
  const body = new TextEncoder().encode(content)
  const writer = add({ name: target, size: body.length, mode, mtime: new Date() }).getWriter()
  await writer.write(body)
  await writer.close()
}

async function addPath(
  path: string,
  target: string,
  add: Add,
  options: PackInNodeOptions,
  changes: string[],
): Promise<void> {
  if (options.isLeftOut?.(path)) return
  const stats = await lstat(path).catch(ignoreMissing)
  if (!stats) return
  const { mode, mtime, uid, gid } = stats
  const header = { name: target, size: 0, mode: mode & 0o7777, mtime, uid, gid }
  if (stats.isSymbolicLink()) {
    const linkname = await readlink(path).catch(ignoreMissing)
    if (linkname !== undefined) await add({ ...header, type: 'symlink', linkname }).close()
  } else if (stats.isFile()) {
    await addFile(path, header, stats, add, changes)
  } else if (stats.isDirectory()) {
    await add({ ...header, name: `${target}/`, type: 'directory' }).close()
    for (const name of ((await readdir(path).catch(ignoreMissing)) ?? []).toSorted())
      await addPath(join(path, name), `${target}/${name}`, add, options, changes)
  }
}

/** Fails in its middle, so that nobody takes the archive for a whole one, when the file is another one. */
async function addExactly(path: string, target: string, { size, sha256 }: Measure, add: Add): Promise<void> {
  const { mode, mtime } = await lstat(path)
  const writer = add({ name: target, size, mode: mode & 0o7777, mtime, type: 'file' }).getWriter()
  const hash = createHash('sha256')
  let left = size
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
    left -= chunk.length
    hash.update(chunk)
    if (left < 0 || (left === 0 && hash.copy().digest('hex') !== sha256)) break
    await writer.write(chunk)
  }
  if (left !== 0 || hash.digest('hex') !== sha256) throw new Error(`${path} is not what it was`)
  await writer.close()
}

/** Exactly as many bytes as its header says; one that became shorter is filled up with zeros, as GNU tar does. */
async function addFile(path: string, header: TarHeader, { size }: Stats, add: Add, changes: string[]): Promise<void> {
  const handle = await open(path).catch(ignoreMissing)
  if (!handle) return
  try {
    const writer = add({ ...header, size, type: 'file' }).getWriter()
    let left = size
    if (size > 0)
      for await (const chunk of handle.createReadStream({
        start: 0,
        end: size - 1,
        highWaterMark: 1 << 18,
        autoClose: false,
      })) {
        await writer.write(chunk as Buffer)
        left -= (chunk as Buffer).length
      }
    if (left > 0) changes.push(`${path}: became shorter while it was read`)
    for (; left > 0; left -= Math.min(left, 65_536)) await writer.write(new Uint8Array(Math.min(left, 65_536)))
    await writer.close()
  } finally {
    await handle.close()
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
