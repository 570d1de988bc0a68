import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * The secret that signs tokens: the file's content, made on the first start (mode 0600). Removing the file ends all tokens.
 *
 * @returns 32 bytes.
 */
export async function loadSecret(file: string): Promise<Uint8Array> {
  await mkdir(dirname(file), { recursive: true })
  if (!existsSync(file)) await makeSecret(file)
  const secret = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64')
  if (secret.length < 32)
    throw new Error(`${file} does not hold a secret; remove it, and a new one is made (tokens in use end).`)
  return secret
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
