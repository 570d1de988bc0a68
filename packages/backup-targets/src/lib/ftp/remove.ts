import type { Client } from 'basic-ftp'
import { replyCode } from './errors.js'
import type { StatFile } from './read.js'

/** Removes a file. @returns whether there was one. */
export async function removeFile(client: Client, statFile: StatFile, path: string): Promise<boolean> {
  try {
    await client.remove(path)
    return true
  } catch (error) {
    if (replyCode(error) !== undefined && !(await statFile(client, path))) return false
    throw error
  }
}

/** Removes a folder. @returns whether it did: not when something is in it. */
export async function removeFolder(client: Client, path: string): Promise<boolean> {
  try {
    await client.removeEmptyDir(path)
    return true
  } catch (error) {
    if (replyCode(error) !== undefined) return false
    throw error
  }
}
