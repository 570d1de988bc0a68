import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { TargetError } from '../target-error.js'
import type { GetOptions } from '../target.js'
import { wholeStream } from '../whole-stream.js'
import { fileError, isCode } from './files.js'

/** A regular file below `root`, or a part of it; links are none. */
export async function readObject(root: string, key: string, options: GetOptions): Promise<Readable> {
  const { start = 0, end = Infinity, signal } = options
  const translate = (error: unknown) => fileError(error, `Cannot read "${key}"`)
  try {
    const handle = await open(join(root, key), constants.O_RDONLY | constants.O_NOFOLLOW)
    const found = await handle.stat()
    const bytes = Math.max(0, Math.min(found.size, end + 1) - start)
    if (found.isFile() && bytes > 0) {
      const stream = handle.createReadStream({ start, end: start + bytes - 1, highWaterMark: 1 << 18 })
      return wholeStream(stream, { key, bytes, signal, translate, lends: true })
    }
    await handle.close()
    if (found.isFile()) return Readable.from([])
  } catch (error) {
    if (!isCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw translate(error)
  }
  throw new TargetError('ERR_TARGET_NOT_FOUND', `There is no "${key}" in ${root}.`)
}
