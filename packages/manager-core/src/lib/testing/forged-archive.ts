import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { manifestName, manifestText } from '../backup/manifest.js'
import type { Manifest } from '../backup/backup.js'

const blockSize = 512

export interface ForgedHeader {
  readonly name: string
  readonly type?: string
  readonly mode?: number
  readonly size?: number
  readonly linkname?: string
  /** As GNU tar wrote it before the posix format. */
  readonly gnu?: boolean
  /** More bytes, by their places. */
  readonly bytes?: Readonly<Record<number, string>>
}

/** A header as it is in a tar, whatever it says. */
export function forgedHeader({
  name,
  type = '0',
  mode = 0o644,
  size = 0,
  linkname = '',
  ...how
}: ForgedHeader): Buffer {
  const block = Buffer.alloc(blockSize)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  block.write(name, 0, 'latin1')
  block.write(octal(mode, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(size, 11), 124)
  block.write(octal(0, 11), 136)
  block.write(' '.repeat(8), 148)
  block.write(type, 156, 'latin1')
  block.write(linkname, 157)
  block.write(how.gnu ? 'ustar  \0' : 'ustar\x0000', 257, 'latin1')
  // For a device: the numbers of the first loop device.
  block.write(octal(7, 7), 329)
  block.write(octal(0, 7), 337)
  for (const [at, text] of Object.entries(how.bytes ?? {})) block.write(text, Number(at), 'latin1')
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 6)}\0 `, 148, 'latin1')
  return block
}

/** A file or an extra header with what it holds. */
export function forgedFile(header: ForgedHeader, content: Buffer | string): readonly Buffer[] {
  const bytes = Buffer.from(content)
  return [forgedHeader({ ...header, size: bytes.length }), padded(bytes)]
}

/** An extra header of the posix format. */
export function forgedPax(records: Readonly<Record<string, string>>): readonly Buffer[] {
  return forgedFile({ name: 'PaxHeaders/x', type: 'x' }, Object.entries(records).map(paxRecord).join(''))
}

function paxRecord([key, value]: readonly [string, string]): string {
  const rest = ` ${key}=${value}\n`
  let length = rest.length
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return `${length}${rest}`
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((blockSize - (bytes.length % blockSize)) % blockSize)])
}

/**
 * What GNU tar reads as entries, and other programs as the content of a file: they take the first header, of an old sparse
 * file that continues in a block of its own, for that of a file, and that block for a header.
 */
export function hidden(top: string, ...blocks: readonly Buffer[]): readonly Buffer[] {
  const all = Buffer.concat(blocks)
  const parts = { 386: '00000000000\0'.repeat(8), 482: '\x01', 483: '00000000000' }
  const sparse = forgedHeader({ name: `${top}/s`, type: 'S', gnu: true, bytes: parts })
  return [sparse, forgedHeader({ name: `${top}/c`, size: all.length }), all]
}

export const endOfTar = Buffer.alloc(2 * blockSize)

/** The same tar with more entries, before its end. */
export function withMore(tar: Buffer, more: readonly Buffer[]): Buffer {
  let end = tar.length
  while (end > 0 && tar[end - 1] === 0) end--
  end = Math.ceil(end / blockSize) * blockSize
  return Buffer.concat([tar.subarray(0, end), ...more, endOfTar])
}

/** Replaces a tar of a backup by another one, and makes its manifest fit, as anyone can who can write there. */
export function forgeBackup(folder: string, base: string, forge: (tar: Buffer) => Buffer): void {
  const { sha256: _hash, ...manifest } = JSON.parse(readFileSync(join(folder, manifestName), 'utf8')) as Manifest & {
    sha256: string
  }
  const files = manifest.files.map((file) => {
    if (!file.name.startsWith(`${base}.`)) return file
    const path = join(folder, file.name)
    const plain = forge(zstdDecompressSync(readFileSync(path)))
    const stored = zstdCompressSync(plain)
    chmodSync(path, 0o600)
    writeFileSync(path, stored)
    const entries = entriesOf(plain)
    return {
      ...file,
      ...{ size: stored.length, sha256: hashOf(stored), plainSize: plain.length, plainSha256: hashOf(plain) },
      ...(entries !== undefined && { entries }),
    }
  })
  chmodSync(join(folder, manifestName), 0o600)
  writeFileSync(join(folder, manifestName), manifestText({ ...manifest, files }))
}

/** As a program counts them that takes each entry that it does not know for a file. */
function entriesOf(tar: Buffer): number | undefined {
  const script =
    'const { unpackTar } = await import("modern-tar");' +
    'const all = await unpackTar(await new Response(process.stdin).arrayBuffer()); console.log(all.length)'
  try {
    return Number(
      execFileSync(process.execPath, ['--input-type=module', '-e', script], {
        input: tar,
        cwd: import.meta.dirname,
        stdio: ['pipe', 'pipe', 'ignore'],
      }),
    )
  } catch {
    return undefined
  }
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
