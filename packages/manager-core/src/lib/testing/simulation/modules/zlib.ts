// Stands in for `node:zlib`: compresses at once, so that no thread of its own decides when.
import { Transform, type TransformCallback } from 'node:stream'

const real = globalThis.process.getBuiltinModule('node:zlib')

function whole(change: (content: Buffer) => Buffer): Transform {
  const chunks: Buffer[] = []
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
    flush(done: TransformCallback) {
      try {
        done(null, change(Buffer.concat(chunks)))
      } catch (error) {
        done(error as Error)
      }
    },
  })
}

export const createZstdCompress = (options?: Parameters<typeof real.zstdCompressSync>[1]) =>
  whole((content) => real.zstdCompressSync(content, options))
export const createZstdDecompress = () => whole((content) => real.zstdDecompressSync(content))
export const { constants, createGunzip, createGzip, gzipSync, gunzipSync, inflateRawSync, crc32 } = real
