import { statFile } from './read.js'
import type { SftpClient } from './sftp/client.js'
import { SftpError, unlessMissing } from './sftp/error.js'

/** Removes a regular file. @returns whether there was one. */
export async function removeFile(client: SftpClient, absolute: string): Promise<boolean> {
  if (!(await statFile(client, absolute))) return false
  return (await unlessMissing(client.remove(absolute).then(() => true))) ?? false
}

/** Removes a folder. @returns whether it did: not when something is in it. */
export async function removeFolder(client: SftpClient, absolute: string): Promise<boolean> {
  try {
    await client.removeFolder(absolute)
    return true
  } catch (error) {
    if (error instanceof SftpError) return false
    throw error
  }
}
