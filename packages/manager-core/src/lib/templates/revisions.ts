import { createHash, randomUUID } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, readlink, rename, rm, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { removeTree } from '../accounts/remove-tree.js'
import type { VersionRow } from '../store/registry.js'
import { syncPath, syncTree } from '../files/tree.js'
import { readApplication } from './application-tree.js'
import { checkTemplate } from './check-template.js'
import { refusePointers } from './refuse-pointers.js'

/**
 * What was fetched: `templates/.revisions/<version>-<hash>/`, never changed once it is there, and for people
 * `templates/<version>`, a link to the one that is used. The registry says which one that is.
 */
export interface Revisions {
  /** Absolute path. */
  path(row: Pick<VersionRow, 'folder'>): string
  /**
   * Builds a revision beside, checks it, and gives it its name; nothing is there when one of these fails.
   *
   * @throws ManagerError ERR_TEMPLATE
   */
  add(
    version: string,
    revision: string,
    fetch: (folder: string) => Promise<void>,
    check: (folder: string) => Promise<void>,
  ): Promise<{ readonly folder: string; readonly title: string }>
  link(row: Pick<VersionRow, 'version' | 'folder'>): Promise<void>
  unlink(row: Pick<VersionRow, 'version'>): Promise<void>
  /**
   * Removes what is used no more, and what a fetch that was killed left; repairs links. A revision that was replaced
   * stays until then, for those who are copying it.
   */
  tidy(rows: readonly VersionRow[]): Promise<void>
}

const revisionsFolder = '.revisions'
const fetchPrefix = '.fetch-'

export function createRevisions(folder: string): Revisions {
  const at = (...parts: string[]) => join(folder, ...parts)

  async function link({ version, folder: target }: Pick<VersionRow, 'version' | 'folder'>): Promise<void> {
    const there = await lstat(at(version)).catch(() => undefined)
    // A folder that the operator made stays; the link is for people only.
    if (there && !there.isSymbolicLink()) return
    if (there && (await readlink(at(version))) === target) return
    const draft = at(`${fetchPrefix}${randomUUID()}`)
    await symlink(target, draft)
    await rename(draft, at(version))
  }

  return {
    path: ({ folder: name }) => at(name),
    link,
    async unlink({ version }) {
      const there = await lstat(at(version)).catch(() => undefined)
      if (there?.isSymbolicLink()) await rm(at(version))
    },
    async add(version, revision, fetch, check) {
      const hash = createHash('sha256').update(revision).digest('hex').slice(0, 12)
      const name = join(revisionsFolder, `${version}-${hash}-${randomUUID().slice(0, 4)}`)
      const draft = at(`${fetchPrefix}${randomUUID()}`)
      try {
        await mkdir(draft, { recursive: true, mode: 0o700 })
        await fetch(draft)
        const { title } = await checkTemplate(draft)
        await check(draft)
        const entries = await readApplication(draft)
        await refusePointers(draft, entries)
        await syncTree(draft, entries)
        await chmod(draft, 0o755)
        await mkdir(at(revisionsFolder), { recursive: true })
        await rename(draft, at(name))
        await syncPath(at(revisionsFolder))
        return { folder: name, title }
      } catch (error) {
        await removeTree(draft)
        throw error
      }
    },
    async tidy(rows) {
      await mkdir(at(revisionsFolder), { recursive: true })
      const used = new Set(rows.map(({ folder: name }) => basename(name)))
      for (const name of await readdir(at(revisionsFolder)))
        if (!used.has(name)) await removeTree(at(revisionsFolder, name))
      for (const name of await readdir(folder)) if (name.startsWith(fetchPrefix)) await removeTree(at(name))
      for (const row of rows) await link(row)
    },
  }
}
