import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { StreamOptions } from './stream-options.js'

/** Not specified; chosen as what is fast on disks and small beside the memory of this process. */
const pieceSize = 1 << 20

export interface FileHash {
  /** Bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
}

/**
 * Bytes and SHA-256 of a file; one piece is read while another one is hashed.
 *
 * @throws what the file system says
 */
export async function hashFile(path: string, { signal, onBytes }: StreamOptions = {}): Promise<FileHash> {
  const hash = createHash('sha256')
  let size = 0
  const file = await open(path)
  try {
    let [piece, next] = [Buffer.allocUnsafe(pieceSize), Buffer.allocUnsafe(pieceSize)]
    let reading = file.read(piece, 0, pieceSize, 0)
    for (;;) {
      const { bytesRead } = await reading
      signal?.throwIfAborted()
      if (bytesRead === 0) return { size, sha256: hash.digest('hex') }
      size += bytesRead
      reading = file.read(next, 0, pieceSize, size)
      // It is awaited only when this one is hashed.
      reading.catch(() => undefined)
      hash.update(piece.subarray(0, bytesRead))
      onBytes?.(size)
      ;[piece, next] = [next, piece]
    }
  } finally {
    await file.close()
  }
}
