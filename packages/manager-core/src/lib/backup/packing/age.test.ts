import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { Encrypter, generateHybridIdentity, generateIdentity, identityToRecipient } from 'age-encryption'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { toolIsMissing } from '../../../../../../tests/servers/index.js'
import { pipeThrough } from '../../accounts/program.js'
import { Secret } from '../../domain/secret.js'
import { checkKey, createSeal, decryptor, filterOfStage, type Opener, type Seal, type Stage } from './age.js'
import { readCompressed, storeCompressed } from './store.js'
import { storeFolder } from './store-folder.js'

const missing = toolIsMissing('age') ?? toolIsMissing('zstd')

describe('encrypted files', () => {
  const path = process.env.PATH as string
  const folder = mkdtempSync(join(tmpdir(), 'steward-age-'))
  const text = Buffer.from('größe ☃\n'.repeat(100_000))
  let identity: string
  let recipient: string
  let number = 0
  beforeAll(async () => {
    identity = await generateIdentity()
    recipient = await identityToRecipient(identity)
    writeFileSync(join(folder, 'key'), `# a key\n${identity}\n`, { mode: 0o600 })
  })
  afterEach(() => void (process.env.PATH = path))
  afterAll(() => rmSync(folder, { recursive: true }))

  async function store(seal: Seal): Promise<string> {
    const file = join(folder, `${number++}.zst.age`)
    await storeCompressed(Readable.from([text]), await open(file, 'wx'), { encrypt: await seal.encryptor() })
    return file
  }

  const read = async (file: string, opener: Opener) => (await readCompressed(file, { opener })).plainSize
  const keys = (): Opener => ({ identities: new Secret(`# a key\n\n${identity}\n`) })
  const byHand = (file: string) =>
    execFileSync('sh', ['-c', `age -d -i ${join(folder, 'key')} ${file} | zstd -d`], {
      encoding: 'buffer',
      env: { PATH: path },
      maxBuffer: 2 ** 28,
    })

  /** As on a machine without programs. */
  const without = () => void (process.env.PATH = join(folder, 'nothing'))

  it.skipIf(missing)('are read by the program when Node made them, and the other way round', async () => {
    const byProgram = await store(await createSeal({ recipients: [recipient] }, 1))
    without()
    const inNode = await store(await createSeal({ recipients: [recipient] }, 1))
    for (const file of [byProgram, inNode]) {
      without()
      expect(await read(file, keys())).toBe(text.length)
      process.env.PATH = path
      expect(await read(file, keys())).toBe(text.length)
      expect(text.equals(byHand(file))).toBe(true)
    }
  })

  it.skipIf(missing)('of a folder come from the programs alone, and are read while they are written', async () => {
    writeFileSync(join(folder, 'large'), Buffer.alloc(6_000_000, text))
    const seal = await createSeal({ recipients: [recipient] }, 1)
    const file = join(folder, 'files.tar.zst.age')
    const options = { encrypt: await seal.encryptor() }
    const storing = storeFolder({ folder, entries: ['large'] }, await open(file, 'wx'), options)
    const { opener } = seal
    const found = await readCompressed(file, { opener, end: storing, tar: {} })
    const { measures } = await storing
    expect(measures).toMatchObject({ exitCodes: { tar: 0, zstd: 0, age: 0 } })
    expect(found).toMatchObject({ entries: 1, size: readFileSync(file).length })
    expect(await readCompressed(file, { opener: keys() })).toMatchObject({ plainSha256: found.plainSha256 })
  })

  it.each([0, 1, 65_535, 65_536, 65_537, 131_072])('of %d bytes are read whole or not at all', async (size) => {
    without()
    const plain = Buffer.alloc(size, 'größe')
    const through = async (stage: Stage, bytes: Buffer) => {
      const chunks: Buffer[] = []
      const sink = new Writable({
        write(chunk: Buffer, _encoding, done) {
          chunks.push(chunk)
          done()
        },
      })
      // As they come from programs: never as they are cut into chunks.
      const pieces = Array.from({ length: Math.ceil(bytes.length / 40_000) }, (_, index) =>
        bytes.subarray(index * 40_000, (index + 1) * 40_000),
      )
      await pipeThrough(filterOfStage(stage), [Readable.from(pieces)], [sink])
      return Buffer.concat(chunks)
    }
    const sealed = await through(await (await createSeal({ recipients: [recipient] }, 1)).encryptor(), plain)
    expect(plain.equals(await through(await decryptor(keys()), sealed))).toBe(true)
    for (const cut of [1, 17, Math.min(size, 65_536) + 16, sealed.length - 100])
      await expect(through(await decryptor(keys()), sealed.subarray(0, -cut))).rejects.toThrow()
  })

  it('are looked at no further than their start to see whether a key fits', async () => {
    const file = join(folder, 'beginning')
    const encrypter = new Encrypter()
    encrypter.addRecipient(recipient)
    writeFileSync(file, (await encrypter.encrypt(Buffer.alloc(2_000_000))).subarray(0, -1))
    await checkKey(file, keys())
    await expect(checkKey(file, { identities: new Secret(await generateIdentity()) })).rejects.toThrow('no identity')
    truncateSync(file, 0)
    truncateSync(file, 2 ** 30)
    await expect(checkKey(file, keys())).rejects.toThrow('no header')
  })

  it('are opened by their passphrase alone', async () => {
    const passphrase = new Secret('correct horse ☃')
    const locked = await store(await createSeal({ passphrase }, 1))
    expect(await read(locked, { passphrase })).toBe(text.length)
    await expect(read(locked, { passphrase: new Secret('another') })).rejects.toThrow('no identity matched')
    await expect(read(locked, keys())).rejects.toThrow()
  })

  it('are opened by each of several recipients, and by keys that only Node knows', async () => {
    const other = await generateIdentity()
    const both = await store(await createSeal({ recipients: [await identityToRecipient(other), recipient] }, 1))
    for (const each of [identity, other]) expect(await read(both, { identities: new Secret(each) })).toBe(text.length)
    const hybrid = await generateHybridIdentity()
    const strong = await store(await createSeal({ recipients: [await identityToRecipient(hybrid)] }, 1))
    expect(await read(strong, { identities: new Secret(hybrid) })).toBe(text.length)
  })

  it('are refused with another key, when they were changed or cut off, and when something follows', async () => {
    const file = await store(await createSeal({ recipients: [recipient] }, 1))
    const whole = readFileSync(file)
    const other = { identities: new Secret(await generateIdentity()) }
    for (const prepare of [() => undefined, without]) {
      prepare()
      await expect(read(file, other)).rejects.toThrow(/no identity matched/)
      for (const at of [10, 300, Math.floor(whole.length / 2), whole.length - 1]) {
        const changed = Buffer.from(whole)
        changed[at] = (changed[at] as number) ^ 1
        writeFileSync(file, changed)
        await expect(read(file, keys())).rejects.toThrow()
      }
      for (const bad of [whole.subarray(0, -1), whole.subarray(0, 100), Buffer.concat([whole, Buffer.from('x')])]) {
        writeFileSync(file, bad)
        await expect(read(file, keys())).rejects.toThrow()
      }
      writeFileSync(file, whole)
    }
  })

  it.skipIf(missing)('leave no key behind, and show none', async () => {
    const temporary = join(folder, 'temporary')
    mkdirSync(temporary)
    vi.stubEnv('TMPDIR', temporary)
    const seal = await createSeal({ recipients: [recipient] }, 1)
    expect(JSON.stringify([seal, await seal.encryptor()])).not.toContain('AGE-SECRET-KEY')
    expect(await read(await store(seal), keys())).toBe(text.length)
    expect(readdirSync(temporary)).toEqual([])
    vi.unstubAllEnvs()
  })
})
