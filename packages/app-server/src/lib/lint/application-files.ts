import { opendir, readFile, stat } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'

/** A file of an application that people write. */
export interface ApplicationFile {
  /** Below the folder of the application, with `/`. */
  readonly name: string
  readonly text: string
  readonly isCode: boolean
}

const codeEnding = /\.(?:ts|mts|cts|js|mjs|cjs)$/
const textEnding = /\.(?:ya?ml|json|html?|md|txt|csv|xml|hbs)$/
const leftOut = new Set(['node_modules', 'dist'])
/** Larger files are data. */
const largestBytes = 1024 * 1024

/** Text files of an application, sorted by name, without its data, packages and files whose name starts with a dot. */
export async function readApplicationFiles(folder: string, dataFolder: string): Promise<ApplicationFile[]> {
  const files: ApplicationFile[] = []
  await walk(folder)
  return files.toSorted((a, b) => (a.name < b.name ? -1 : 1))

  async function walk(current: string): Promise<void> {
    for await (const entry of await opendir(current)) {
      const path = join(current, entry.name)
      if (entry.name.startsWith('.') || leftOut.has(entry.name) || resolve(path) === resolve(dataFolder)) continue
      if (entry.isDirectory()) await walk(path)
      else if (entry.isFile()) await add(path, entry.name)
    }
  }

  async function add(path: string, name: string): Promise<void> {
    const isCode = codeEnding.test(name)
    if (!(isCode || textEnding.test(name)) || name === 'package-lock.json') return
    if ((await stat(path)).size > largestBytes) return
    const text = await readFile(path, 'utf8')
    files.push({ name: relative(folder, path).split(sep).join('/'), text, isCode })
  }
}

/** How often each word stands in texts. */
export function countWords(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts)
    for (const [word] of text.matchAll(/[\p{L}_][\p{L}\p{N}_]*/gu))
      // `<reference>__<field>` uses both.
      for (const name of new Set([word, ...word.split('__')])) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
