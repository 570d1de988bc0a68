import { createReadStream } from 'node:fs'
import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Decrypter, Encrypter } from 'age-encryption'
import { filterOf, runFilter, type Command, type Filter } from '../../accounts/program.js'
import { Secret } from '../../domain/secret.js'
import type { BackupEncryption } from '../backup.js'
import { packingTools } from './tools.js'

/** A part of a pipeline: a program, or what does the same in this process, once. */
export type Stage = { readonly command: Command } | { readonly filter: Filter }

export function filterOfStage(stage: Stage): Filter {
  return 'command' in stage ? runFilter([stage.command]) : stage.filter
}

/** What opens encrypted files: the lines of an identity file, or a passphrase. */
export type Opener = { readonly identities: Secret } | { readonly passphrase: Secret }

/**
 * The work factor of scrypt, as a power of 2. Not specified; chosen, as it takes 64 MB and a fraction of a second; the
 * program's, 18, takes 256 MB, and a passphrase in settings need not be one that people remember.
 */
const workFactor = 16
/** Not specified; chosen as room for hundreds of recipients, and for what is read ahead. */
const mostBeginBytes = 1 << 23

/** How the files of a backup that is made now are encrypted, format `age-encryption.org/v1`. */
export interface Seal {
  readonly encryption: BackupEncryption
  /** Opens what this seal closed, without the key of a recipient: to read back what was written. */
  readonly opener: Opener
  /** For one file; as often as was said. */
  encryptor(): Promise<Stage>
}

/**
 * @param lock public keys of recipients, all of one kind (`age1…`, `age1pq1…`), or a passphrase
 * @param files how many are going to be encrypted: what takes time is done here
 */
export async function createSeal(
  lock: { readonly recipients: readonly string[] } | { readonly passphrase: Secret },
  files: number,
): Promise<Seal> {
  const library = await import('age-encryption')
  const { generateHybridIdentity, generateX25519Identity, identityToRecipient } = library
  const encrypter = new library.Encrypter()
  if ('passphrase' in lock) {
    encrypter.setPassphrase(lock.passphrase.reveal())
    encrypter.setScryptWorkFactor(workFactor)
    return { encryption: { format: 'age' }, opener: lock, encryptor: await inNode(encrypter, files) }
  }
  const { recipients } = lock
  const isPlain = recipients.every((recipient) => plainRecipient.test(recipient))
  // It is gone with this process.
  const identity = await (isPlain ? generateX25519Identity() : generateHybridIdentity())
  const all = [...recipients, await identityToRecipient(identity)]
  const common = { encryption: { format: 'age', recipients }, opener: { identities: new Secret(identity) } } as const
  if (!isPlain || (await packingTools()).age === undefined) {
    for (const recipient of all) encrypter.addRecipient(recipient)
    return { ...common, encryptor: await inNode(encrypter, files) }
  }
  const args = ['--encrypt', ...all.flatMap((recipient) => ['--recipient', recipient])]
  return { ...common, encryptor: () => Promise.resolve({ command: { command: 'age', args } }) }
}

/** Such that every version of the program knows. */
export const plainRecipient = /^age1[02-9ac-hj-np-z]{58}$/

/**
 * By the library, in this process: some 80 MB/s, several times slower than the program. Headers are made before files are
 * there, as the key of a passphrase takes a fraction of a second, in which nothing else is done here.
 */
async function inNode(encrypter: Encrypter, files: number): Promise<Seal['encryptor']> {
  const prepare = async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    return { writable, readable: await encrypter.encrypt(readable) }
  }
  const prepared = [await prepare()]
  while (prepared.length < files) {
    // What waits comes before the next one.
    await setImmediate()
    prepared.push(await prepare())
  }
  return async () => ({ filter: filterOf(Duplex.fromWeb(prepared.shift() ?? (await prepare()))) })
}

/** The program decrypts when it is there and knows the keys, else the library. */
export async function decryptor(opener: Opener): Promise<Stage> {
  if ('identities' in opener) {
    const secret = `${opener.identities.reveal().trim()}\n`
    if ((await packingTools()).age !== undefined && !/^AGE-SECRET-KEY-PQ-/m.test(secret))
      return {
        command: { command: 'age', args: ['--decrypt', '--identity', '/dev/fd/3'], secret, withoutPrivileges: true },
      }
  }
  const decrypter = await decrypterOf(opener)
  return { filter: filterOf(Duplex.from((source: AsyncIterable<Buffer>) => decrypt(source, decrypter))) }
}

/**
 * Looks at the start of a file only.
 *
 * @throws Error `isOtherKey`, and others when there is no such start
 */
export async function checkKey(path: string, opener: Opener): Promise<void> {
  const decrypter = await decrypterOf(opener)
  const source = createReadStream(path)
  try {
    for await (const plain of decrypt(source, decrypter)) if (plain.length > 0) return
  } finally {
    source.destroy()
  }
}

async function decrypterOf(opener: Opener): Promise<Decrypter> {
  const library = await import('age-encryption')
  const decrypter = new library.Decrypter()
  if ('passphrase' in opener) decrypter.addPassphrase(opener.passphrase.reveal())
  else for (const identity of linesOf(opener.identities.reveal())) decrypter.addIdentity(identity)
  return decrypter
}

/** @throws Error `isOtherKey`, and others when it was changed or cut off */
async function* decrypt(source: AsyncIterable<Buffer>, decrypter: Decrypter): AsyncGenerator<Uint8Array> {
  let isOpen = false
  async function* guarded() {
    let bytes = 0
    for await (const piece of source) {
      // The library takes all of what has no line break for a header, and keeps it.
      if (!isOpen && (bytes += piece.length) > mostBeginBytes) throw new Error('it has no header of an encrypted file')
      yield piece
    }
  }
  const plain = await decrypter.decrypt(ReadableStream.from(guarded()))
  isOpen = true
  yield* plain
}

/** Whether the program or the library said that it is encrypted for another key, or with another passphrase. */
export function isOtherKey(error: unknown): boolean {
  return error instanceof Error && error.message.includes('no identity matched')
}

/** The lines of a file of keys without comments and empty ones. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('#'))
}
