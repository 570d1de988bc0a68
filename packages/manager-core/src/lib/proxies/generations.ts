import { readdirSync, readFileSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { link, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { removeTreeSync } from '../accounts/remove-tree.js'

/** Configurations of a reverse proxy: folders that never change, and a link `live` to the one in force. */
export interface Generations {
  /** Absolute path of a generation, also of one that is not there. */
  path(name: string): string
  /** Name of the one in force; undefined: there is none. */
  readonly live: string | undefined
  /** Writes a whole generation, which a power cut cannot spoil any more then. It shares files that the live one has as they are. */
  write(name: string, files: ReadonlyMap<string, string>): Promise<void>
  /** Puts another one in force, atomically; undefined: none. */
  swap(name: string | undefined): void
  /** Whether its files are exactly these. */
  isSame(name: string, files: ReadonlyMap<string, string>): boolean
  /** Removes all but these. */
  keep(names: readonly string[]): void
  remove(name: string): void
}

export function createGenerations(folder: string): Generations {
  const all = join(folder, 'generations')
  const liveLink = join(folder, 'live')
  const path = (name: string) => join(all, name)
  const liveName = () => {
    try {
      const [, name] = /^generations\/([\w-]+)$/.exec(readlinkSync(liveLink)) ?? []
      return name
    } catch {
      // Missing, or not a link: not our work, which the next swap replaces.
      return undefined
    }
  }
  return {
    path,
    get live() {
      return liveName()
    },
    async write(name, files) {
      const folders = new Set([...files.keys()].map((file) => dirname(join(path(name), file))))
      for (const one of folders) await mkdir(one, { recursive: true, mode: 0o700 })
      const { default: pLimit } = await import('p-limit')
      // The disk takes many at the same time faster than one after the other.
      const limit = pLimit(16)
      const live = liveName()
      await limit.map(files, async ([file, text]) => {
        const own = join(path(name), file)
        const shared = live === undefined ? undefined : join(path(live), file)
        if (shared !== undefined && (await readFile(shared, 'utf8').catch(() => undefined)) === text)
          await link(shared, own)
        else await writeFile(own, text, { flag: 'wx', mode: 0o600, flush: true })
      })
    },
    swap(name) {
      if (name === undefined) return removeTreeSync(liveLink)
      const beside = `${liveLink}.new`
      removeTreeSync(beside)
      symlinkSync(join('generations', name), beside)
      try {
        renameSync(beside, liveLink)
      } catch (error) {
        if (!['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
        // A folder that others created there.
        removeTreeSync(liveLink)
        renameSync(beside, liveLink)
      }
    },
    isSame(name, files) {
      try {
        const there = readdirSync(path(name), { recursive: true, withFileTypes: true }).filter(
          (one) => !one.isDirectory(),
        )
        return (
          there.length === files.size &&
          [...files].every(([file, text]) => readFileSync(join(path(name), file), 'utf8') === text)
        )
      } catch {
        return false
      }
    },
    keep(names) {
      for (const name of readdirSync(all)) if (!names.includes(name)) removeTreeSync(path(name))
    },
    remove: (name) => removeTreeSync(path(name)),
  }
}
