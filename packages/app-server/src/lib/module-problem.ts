import { readFile } from 'node:fs/promises'
import * as modules from 'node:module'

/** What is wrong with a module that could not be loaded, after the place where that is, as far as it can be found out. */
export async function moduleProblem(file: string, error: unknown): Promise<string> {
  if (!(error instanceof Error)) return `${file}: ${String(error)}`
  return `${placeIn(error, file) ?? (await syntaxPlace(error, file)) ?? file}: ${error.message}`
}

/** The first line of the stack when TypeScript cannot be read, else the first frame in the file itself. */
function placeIn({ stack = '' }: Error, file: string): string | undefined {
  const [, first] = /^(\/[^\n]*:\d+)\n/.exec(stack) ?? []
  if (first !== undefined) return first
  const frame = stack.split('\n').find((line) => line.includes(`${file}:`))
  const [, position] = /:(\d+(?::\d+)?)\)?$/.exec(frame ?? '') ?? []
  return position === undefined ? undefined : `${file}:${position}`
}

/** Node says for TypeScript only where a mistake of syntax is; JavaScript is read as TypeScript once more. */
async function syntaxPlace(error: Error, file: string): Promise<string | undefined> {
  if (!(error instanceof SyntaxError)) return undefined
  try {
    modules.stripTypeScriptTypes(await readFile(file, 'utf8'), { sourceUrl: file })
    return undefined
  } catch (mistake) {
    return mistake instanceof Error ? placeIn(mistake, file) : undefined
  }
}
