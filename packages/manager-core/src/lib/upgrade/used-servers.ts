import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ManagerContext } from '../context.js'
import { pinnedServer } from '../servers/application-server.js'
import { installedServer, removeServers } from '../servers/server-store.js'
import { readPoints } from './restore-points.js'

type Context = Pick<ManagerContext, 'home' | 'settings' | 'applicationServer'>

/**
 * Removes application servers that no instance stays with, here or in the trash, nor one of its restore points. That of
 * the manager stays: an operation may be about to use it.
 */
export async function removeUnusedServers(context: Context): Promise<void> {
  const { home, applicationServer } = context
  const present = installedServer(applicationServer)
  const used = new Set(present ? [present.id] : [])
  for (const folder of [...(await foldersIn(home.instances)), ...(await foldersIn(home.trash))]) {
    // Also what an operation has beside it.
    for (const name of await namesIn(folder)) if (/^app(?:\.|$)/.test(name)) add(pinnedServer(join(folder, name)))
    for (const { server } of await readPoints(context, folder)) add(server)
  }
  await removeServers(home, used)

  function add(id: string | undefined): void {
    if (id !== undefined) used.add(id)
  }
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  return (await namesIn(folder)).map((name) => join(folder, name))
}

/** What cannot be read is no reason to take something for unused. */
async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw error
  })
}
