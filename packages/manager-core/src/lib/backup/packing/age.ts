import { createReadStream } from 'node:fs'
import { Duplex } from 'node:stream'
import type { Recipient } from 'age-encryption'
import { Secret } from '../../domain/secret.js'
import type { BackupEncryption } from '../backup.js'
import { createHeader, decryptFile, encryptFile } from './age-in-node.js'
import { passphraseIdentity, passphraseRecipient } from './age-passphrase.js'
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
 * @param lock public keys of recipients, all of one kind (`age1…`, `age1pq1…`), or a passphrase
 * @param files how many are going to be encrypted: what takes time is done here
 */
export async function createSeal(
  lock: { readonly recipients: readonly string[] } | { readonly passphrase: Secret },
  files: number,
): Promise<Seal> {
  if ('passphrase' in lock) {
    const recipient = await passphraseRecipient(lock.passphrase.reveal())
    return { encryption: { format: 'age' }, opener: lock, encryptor: await inNode([recipient], files) }
  }
  const { generateHybridIdentity, generateX25519Identity, identityToRecipient } = await import('age-encryption')
  const { recipients } = lock
  const isPlain = recipients.every((recipient) => plainRecipient.test(recipient))
  // It is gone with this process.
  const identity = await (isPlain ? generateX25519Identity() : generateHybridIdentity())
  const all = [...recipients, await identityToRecipient(identity)]
  const common = { encryption: { format: 'age', recipients }, opener: { identities: new Secret(identity) } } as const
  if (!isPlain || (await packingTools()).age === undefined) return { ...common, encryptor: await inNode(all, files) }
  const args = ['--encrypt', ...all.flatMap((recipient) => ['--recipient', recipient])]
  return { ...common, encryptor: () => Promise.resolve({ command: { command: 'age', args } }) }
}

/** Such that every version of the program knows. */
export const plainRecipient = /^age1[02-9ac-hj-np-z]{58}$/

async function inNode(recipients: readonly (string | Recipient)[], files: number): Promise<Seal['encryptor']> {
  const headers = await Promise.all(Array.from({ length: files }, () => createHeader(recipients)))
  return async () => {
    const header = headers.shift() ?? (await createHeader(recipients))
    return { filter: filterOf(Duplex.from((source: AsyncIterable<Buffer>) => encryptFile(source, header))) }
  }
}

/** The program decrypts when it is there and knows the keys, else Node. */
export async function decryptor(opener: Opener): Promise<Stage> {
  if ('identities' in opener) {
    const secret = `${opener.identities.reveal().trim()}\n`
    if ((await packingTools()).age !== undefined && !/^AGE-SECRET-KEY-PQ-/m.test(secret))
      return { command: { command: 'age', args: ['--decrypt', '--identity', '/dev/fd/3'], secret } }
  }
  const fileKeyOf = await fileKeyBy(opener)
  return { filter: filterOf(Duplex.from((source: AsyncIterable<Buffer>) => decryptFile(source, fileKeyOf))) }
}

/**
 * Looks at the beginning of a file only.
 *
 * @throws Error `isOtherKey`, and others when there is no such beginning
 */
export async function checkKey(path: string, opener: Opener): Promise<void> {
  const fileKeyOf = await fileKeyBy(opener)
  const source = createReadStream(path) as AsyncIterable<Buffer>
  for await (const plain of decryptFile(source, fileKeyOf)) if (plain.length > 0) return
}

async function fileKeyBy(opener: Opener): Promise<(header: Uint8Array) => Promise<Uint8Array>> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  if ('passphrase' in opener) decrypter.addIdentity(passphraseIdentity(opener.passphrase.reveal()))
  else for (const identity of linesOf(opener.identities.reveal())) decrypter.addIdentity(identity)
  return (header) => decrypter.decryptHeader(header)
}

/** Of what the program or the library said: it is encrypted for somebody else, or with another passphrase. */
export function isOtherKey(error: unknown): boolean {
  return error instanceof Error && error.message.includes('no identity matched')
}

/** Of a file of keys: comments and empty lines are none. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('#'))
}
