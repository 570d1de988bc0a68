import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ManagerError } from '../../errors.js'
import { copyTree } from '../files/tree.js'
import { hashApplication, readApplication } from './application-tree.js'
import type { TemplateSource } from './template-source.js'

export interface FolderSourceOptions {
  /** Where relative paths start: the manager's home. */
  readonly base: string
}

const prefix = 'folder:'

/** `folder:<path>`: revision is a hash of the content, date that of the newest file. */
export function createFolderSource({ base }: FolderSourceOptions): TemplateSource {
  async function folderOf(location: string): Promise<string> {
    const folder = resolve(base, location.slice(prefix.length))
    const stats = await stat(folder).catch((cause: NodeJS.ErrnoException) => {
      throw new ManagerError('ERR_TEMPLATE', `${folder} cannot be read: ${cause.message}`, { cause })
    })
    if (!stats.isDirectory()) throw new ManagerError('ERR_TEMPLATE', `${folder} is not a folder.`)
    return folder
  }

  return {
    name: 'folder',
    accepts: (location) => location.startsWith(prefix) && location.length > prefix.length,
    async latest(location, signal) {
      const folder = await folderOf(location)
      const entries = await readApplication(folder, signal)
      const newest = entries.reduce((latest, { modified }) => Math.max(latest, modified), 0)
      return {
        revision: await hashApplication(folder, entries, signal),
        date: new Date(Math.floor(newest)).toISOString(),
      }
    },
    async fetch(location, { revision }, folder, signal) {
      const from = await folderOf(location)
      await copyTree(from, folder, await readApplication(from, signal), { signal })
      const copied = await hashApplication(folder, await readApplication(folder, signal), signal)
      if (copied !== revision)
        throw new ManagerError('ERR_TEMPLATE', `${from} was changed while it was copied.`, { command: 'refresh' })
    },
  }
}
