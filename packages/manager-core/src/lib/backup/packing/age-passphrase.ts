import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { Identity, Recipient } from 'age-encryption'
import pLimit from 'p-limit'

/**
 * Passphrases of the format `age-encryption.org/v1`, by Node's own scrypt, which neither holds up this process nor takes
 * twice as long, as that of the library does. Source: https://age-encryption.org/v1, "The scrypt recipient type".
 */
const label = 'age-encryption.org/v1/scrypt'
const cipher = 'chacha20-poly1305'
const saltBytes = 16
const tagBytes = 16

/**
 * The work factor, as a power of 2. Not specified; chosen, as it takes 64 MB and a fraction of a second; that of the
 * program, 18, takes 256 MB, and a passphrase in settings need not be one that people remember.
 */
const workFactor = 16
/** More would take a gigabyte: no file that we made has it. */
const mostWork = 20

export async function passphraseRecipient(passphrase: string): Promise<Recipient> {
  const { Stanza } = await import('age-encryption')
  return {
    async wrapFileKey(fileKey) {
      const salt = randomBytes(saltBytes)
      const wrapping = createCipheriv(cipher, await keyOf(passphrase, salt, workFactor), Buffer.alloc(12), {
        authTagLength: tagBytes,
      })
      const body = Buffer.concat([wrapping.update(fileKey), wrapping.final(), wrapping.getAuthTag()])
      return [new Stanza(['scrypt', salt.toString('base64').replaceAll('=', ''), String(workFactor)], body)]
    },
  }
}

export function passphraseIdentity(passphrase: string): Identity {
  return {
    async unwrapFileKey(stanzas) {
      const [stanza] = stanzas
      const [type, encodedSalt = '', work = ''] = stanza?.args ?? []
      if (stanza === undefined || type !== 'scrypt' || stanzas.length !== 1) return null
      const salt = Buffer.from(encodedSalt, 'base64')
      const isSound = salt.length === saltBytes && /^[1-9]\d?$/.test(work) && Number(work) <= mostWork
      if (!isSound || stanza.body.length !== 16 + tagBytes)
        throw new Error('its passphrase is not told as it should be')
      const decipher = createDecipheriv(cipher, await keyOf(passphrase, salt, Number(work)), Buffer.alloc(12), {
        authTagLength: tagBytes,
      })
      decipher.setAuthTag(stanza.body.subarray(-tagBytes))
      const fileKey = decipher.update(stanza.body.subarray(0, -tagBytes))
      try {
        decipher.final()
        return fileKey
      } catch {
        return null
      }
    },
  }
}

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)
/** Because of the memory that it takes. */
const oneAtATime = pLimit(1)

function keyOf(passphrase: string, salt: Buffer, work: number): Promise<Buffer> {
  const [N, r] = [2 ** work, 8]
  const labelled = Buffer.concat([Buffer.from(label), salt])
  return oneAtATime(() => derive(passphrase, labelled, 32, { N, r, p: 1, maxmem: 256 * N * r }))
}
