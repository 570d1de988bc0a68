import { chmod, mkdir, stat } from 'node:fs/promises'

/** Makes the folder of an application's data, for its owner only; one that exists loses the rights of everybody else but the group. */
export async function makeDataFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { mode } = await stat(folder)
  if (process.platform !== 'win32' && mode & 0o007) await chmod(folder, mode & 0o770)
}
