import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A code block of a tutorial. */
export interface Block {
  readonly language: string
  readonly code: string
  /** The paragraph before it. */
  readonly above: string
}

/** What a reader does, in the order of the text. */
export function tutorialBlocks(file: URL): readonly Block[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/(?<above>[^\n]+(?:\n[^\n]+)*)?\n\n```(?<language>\w+)\n(?<code>.*?)^```$/gms)].map(
    ({ groups }) => ({ above: '', language: '', code: '', ...groups }),
  )
}

/**
 * Writes the file that the paragraph above the block names last, or adds to it when the paragraph says so.
 *
 * @param tops the folders that such a name begins with
 * @returns what is wrong; empty: nothing
 */
export function writeBlock({ above, code, language }: Block, folder: string, tops: readonly string[]): string[] {
  const name = [...above.matchAll(/`([^`]+)`/g)]
    .map(([, path = '']) => path)
    .findLast((path) => tops.some((top) => path.startsWith(`${top}/`)))
  if (name === undefined) return [`No file is named above this ${language}:\n${code}`]
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  if (/\b[Aa]dd to `|^and to `/.test(above)) appendFileSync(file, code)
  else writeFileSync(file, code)
  return []
}
