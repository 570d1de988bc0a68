import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Puts a text in the place of a file, whole or not at all, mode 0600, also after a power cut. The folder is there, and
 * nothing else writes this file at the same time.
 */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  const beside = `${file}.new`
  // Left by a process that was killed.
  await rm(beside, { force: true })
  try {
    const handle = await open(beside, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await replaceFile(beside, file)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}

/** Puts a file, which was synced, in the place of another one of its folder, also after a power cut. */
export async function replaceFile(by: string, file: string): Promise<void> {
  await rename(by, file)
  const folder = await open(dirname(file), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
