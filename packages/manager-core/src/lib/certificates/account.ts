import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from '../domain/home.js'
import { writePrivateFile } from '../files/write-private-file.js'

/**
 * Key of the account at an authority, made when there is none; the authority knows the account by it. Each directory has
 * its own.
 */
export async function accountKey(
  { certificates }: Pick<Home, 'certificates'>,
  directory: string,
  make: () => Promise<string>,
): Promise<string> {
  const folder = join(certificates, 'accounts')
  const file = join(folder, `${createHash('sha256').update(directory).digest('hex').slice(0, 16)}.pem`)
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const key = await make()
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writePrivateFile(file, key)
  return key
}
