import { ManagerError } from '../../errors.js'
import type { AnonymisationKey } from './key.js'

const small = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'

/**
 * Another text of the same shape: letters for letters, digits for digits, as far as the pattern allows it. What the
 * pattern fixes stays.
 *
 * @throws ManagerError ERR_FAILED when the value does not match its pattern itself, and nothing like it does
 */
export function reshaped(value: string, pattern: RegExp, key: AnonymisationKey, purpose: string): string {
  const characters = [...value]
  const seed = seeds(key, purpose, value)
  const matched = pattern.test(value)
  for (const [at, character] of characters.entries()) {
    const alphabet = alphabetOf(character)
    if (alphabet === undefined) continue
    const before = characters[at] as string
    characters[at] = alphabet[seed.next().value % alphabet.length] as string
    if (matched && !pattern.test(characters.join(''))) characters[at] = before
  }
  const made = characters.join('')
  if (pattern.test(made)) return made
  throw new ManagerError('ERR_FAILED', `No value could be generated for the pattern ${pattern.source}.`, {
    help: 'A value of the instance does not match it either. Use shuffle, null or keep for this field.',
  })
}

function alphabetOf(character: string): string | undefined {
  if (/\p{Nd}/u.test(character)) return digits
  if (/\p{Lu}/u.test(character)) return small.toUpperCase()
  return /\p{L}/u.test(character) ? small : undefined
}

function* seeds(key: AnonymisationKey, purpose: string, value: string): Generator<number, never> {
  for (let block = 0; ; block++) {
    const bytes = key.digest(`${purpose} shape ${block}`, value)
    for (let at = 0; at < bytes.length; at += 2) yield bytes.readUInt16BE(at)
  }
}
