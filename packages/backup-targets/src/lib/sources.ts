import { createReadStream } from 'node:fs'
import type { Source } from './target.js'

/** A file that does not change meanwhile. */
export function fileSource(path: string, size: number): Source {
  return { size, open: (start = 0) => createReadStream(path, { start, highWaterMark: 1 << 18 }) }
}
