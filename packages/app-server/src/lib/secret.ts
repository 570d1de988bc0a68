import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The first one signs tokens; the others signed tokens that are taken until they end. Of 32 bytes at least. */
export type Secrets = readonly [Uint8Array, ...Uint8Array[]]

/**
 * The secrets of tokens: the file's lines, made with one on the first start (mode 0600). Removing the file ends all tokens; a
 * new first line starts new ones.
 */
export async function loadSecrets(file: string): Promise<Secrets> {
  await mkdir(dirname(file), { recursive: true })
  if (!existsSync(file)) await makeSecret(file)
  const secrets = parseSecrets((await readFile(file, 'utf8')).split('\n'))
  if (!secrets) throw new Error(`${file} does not hold a secret; remove it, and a new one is made (tokens in use end).`)
  return secrets
}

/** Reads base64 texts; empty ones do not count. @returns `undefined` when one is too short, or there is none. */
export function parseSecrets(texts: readonly string[]): Secrets | undefined {
  const filled = texts.map((text) => text.trim()).filter((text) => text !== '')
  const [first, ...others] = filled.map((text) => Buffer.from(text, 'base64'))
  if (!first || [first, ...others].some(({ length }) => length < 32)) return undefined
  return [first, ...others]
}

/** The file appears complete, and of two servers that start at once the first one's stays. */
async function makeSecret(file: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft)
  }
}
