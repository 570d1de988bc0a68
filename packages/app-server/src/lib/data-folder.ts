import { chmod, mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** Makes the folder of an application's data, for its owner only; one that exists loses the rights of everybody else but the group. */
export async function makeDataFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { mode } = await stat(folder)
  if (process.platform !== 'win32' && mode & 0o007) await chmod(folder, mode & 0o770)
}

/** Absolute path of the folder of documents; `said` as `app.yaml` has it. */
export function documentsFolder(folder: string, dataFolder: string, said: string | undefined): string {
  return said === undefined ? join(dataFolder, 'documents') : resolve(folder, said)
}
