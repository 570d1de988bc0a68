import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { constants, zstdCompressSync } from 'node:zlib'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { verifyFile } from '../verify-backup.js'
import type { Measures } from './read-options.js'
import { readCompressed, storeCompressed } from './store.js'

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Behaviour of Node's own zstd, which is used where the program is not there. */
describe('without the program zstd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-traps-'))
  const file = join(folder, 'db.sqlite.zst')
  const plain = randomBytes(3_000_000)
  const checked = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }
  beforeEach(() => void vi.stubEnv('PATH', join(folder, 'nothing')))
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(file, { force: true })
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  async function store(): Promise<Measures> {
    // Pieces of odd sizes, with which its encoder was seen to add frames.
    const pieces = Array.from({ length: 40 }, (_, index) => plain.subarray(index * 75_001, (index + 1) * 75_001))
    return storeCompressed(Readable.from(pieces, { objectMode: false }), await open(file, 'wx'))
  }

  const verify = (expected: Measures) => verifyFile(folder, 'db.sqlite.zst', { end: Promise.resolve(expected) })

  it('a file is one frame with a checksum, which the program reads whole', async () => {
    const stored = await store()
    expect(stored).toMatchObject({ plainSize: plain.length, plainSha256: sha256(plain), exitCodes: {} })
    vi.unstubAllEnvs()
    expect(plain.equals(execFileSync('zstd', ['-dc', file], { maxBuffer: 2 ** 24 }))).toBe(true)
    const told = execFileSync('zstd', ['-lv', file], { encoding: 'utf8' })
    expect(told).toMatch(/(?:Number of|# Zstandard) Frames: 1\b/)
    expect(told).toMatch(/Check: XXH64/)
  })

  it('that its decoder ends well is not a proof: what follows the first frame is missed', async () => {
    const [half, rest] = [plain.subarray(0, 1_000_000), plain.subarray(1_000_000)]
    const both = Buffer.concat([zstdCompressSync(half, checked), zstdCompressSync(rest, checked)])
    writeFileSync(file, both)
    const expected = {
      ...{ size: both.length, sha256: sha256(both) },
      ...{ plainSize: plain.length, plainSha256: sha256(plain) },
    }
    await expect(verify(expected)).rejects.toMatchObject({ code: 'ERR_BACKUP' })
    // The program reads both.
    vi.unstubAllEnvs()
    expect(await verify(expected)).toMatchObject({ plainSize: plain.length })
  })

  it('what follows a file is found, which its decoder ignores', async () => {
    const stored = await store()
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from('more')]))
    await expect(verify(stored)).rejects.toMatchObject({ code: 'ERR_BACKUP' })
  })

  it('a flipped bit in what cannot be compressed is found by the decoder alone', async () => {
    await store()
    const bytes = readFileSync(file)
    bytes[1_500_000] = (bytes[1_500_000] as number) ^ 1
    writeFileSync(file, bytes)
    await expect(readCompressed(file)).rejects.toThrow()
  })
})
