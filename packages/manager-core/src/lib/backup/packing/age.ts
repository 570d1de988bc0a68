import { createReadStream } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import type { Decrypter, Encrypter } from 'age-encryption'
import { Secret } from '../../domain/secret.js'
import type { BackupEncryption } from '../backup.js'
import { filterOf, runFilter, type Command, type Filter } from './program.js'
import { packingTools } from './tools.js'

/** A part of a pipeline: a program, or what does the same in this process, once. */
export type Stage = { readonly command: Command } | { readonly filter: Filter }

export function filterOfStage(stage: Stage): Filter {
  return 'command' in stage ? runFilter([stage.command]) : stage.filter
}

/** What opens encrypted files: the lines of an identity file, or a passphrase. */
export type Opener = { readonly identities: Secret } | { readonly passphrase: Secret }

/** How the files of a backup that is made now are encrypted, format `age-encryption.org/v1`. */
export interface Seal {
  readonly encryption: BackupEncryption
  /** Opens what this seal closed, with nobody's own key: to read back what was written. */
  readonly opener: Opener
  /** For one file; as often as was said. */
  encryptor(): Promise<Stage>
}

/**
 * The work factor of passphrases, as a power of 2. Not specified; chosen, as opening a file takes 64 MB and a fraction of
 * a second then; the default of `age`, 18, takes 256 MB, and a passphrase in settings need not be one that people remember.
 */
const workFactor = 16

/**
 * @param lock public keys of recipients, all of one kind (`age1…`, `age1pq1…`), or a passphrase
 * @param files how many are going to be encrypted: what takes time is done here
 */
export async function createSeal(
  lock: { readonly recipients: readonly string[] } | { readonly passphrase: Secret },
  files: number,
): Promise<Seal> {
  const { Encrypter, generateHybridIdentity, generateX25519Identity, identityToRecipient } =
    await import('age-encryption')
  const encrypter = new Encrypter()
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
  if (isPlain && (await packingTools()).age !== undefined) {
    const args = ['--encrypt', ...all.flatMap((recipient) => ['--recipient', recipient])]
    return { ...common, encryptor: () => Promise.resolve({ command: { command: 'age', args } }) }
  }
  for (const recipient of all) encrypter.addRecipient(recipient)
  return { ...common, encryptor: await inNode(encrypter, files) }
}

/** Such that every version of the program knows. */
export const plainRecipient = /^age1[02-9ac-hj-np-z]{58}$/

async function inNode(encrypter: Encrypter, files: number): Promise<Seal['encryptor']> {
  const make = async (): Promise<Stage> => {
    const input = new PassThrough()
    const output = await encrypter.encrypt(Readable.toWeb(input) as ReadableStream<Uint8Array>)
    return { filter: filterOf(input, Readable.from(output, { objectMode: false })) }
  }
  const made: Stage[] = []
  while (made.length < files) made.push(await make())
  return async () => made.shift() ?? make()
}

/** The program decrypts when it is there and knows the keys, else Node. */
export async function decryptor(opener: Opener): Promise<Stage> {
  if ('identities' in opener) {
    const secret = `${opener.identities.reveal().trim()}\n`
    if ((await packingTools()).age !== undefined && !/^AGE-SECRET-KEY-PQ-/m.test(secret))
      return { command: { command: 'age', args: ['--decrypt', '--identity', '/dev/fd/3'], secret } }
  }
  const decrypter = await decrypterOf(opener)
  const input = new PassThrough()
  async function* decrypted() {
    yield* await decrypter.decrypt(Readable.toWeb(input) as ReadableStream<Uint8Array>)
  }
  return { filter: filterOf(input, Readable.from(decrypted(), { objectMode: false })) }
}

/**
 * Looks at the beginning of a file only.
 *
 * @throws Error `isOtherKey`, and others when there is no such beginning
 */
export async function checkKey(path: string, opener: Opener): Promise<void> {
  const decrypter = await decrypterOf(opener)
  const file = createReadStream(path)
  try {
    await (await decrypter.decrypt(Readable.toWeb(file) as ReadableStream<Uint8Array>)).cancel()
  } finally {
    file.destroy()
  }
}

async function decrypterOf(opener: Opener): Promise<Decrypter> {
  const age = await import('age-encryption')
  const decrypter = new age.Decrypter()
  if ('passphrase' in opener) decrypter.addPassphrase(opener.passphrase.reveal())
  else for (const identity of linesOf(opener.identities.reveal())) decrypter.addIdentity(identity)
  return decrypter
}

/** Of what a decryptor said: it is encrypted for somebody else, or with another passphrase. */
export function isOtherKey(error: unknown): boolean {
  return /no identity matched|incorrect passphrase/.test((error as Error).message)
}

/** Of a file of keys: comments and empty lines are none. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('#'))
}
