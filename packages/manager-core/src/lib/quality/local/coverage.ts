/** Lines with code of a file, and how many of them ran. */
export interface FileCoverage {
  /** Below the folder of the application. */
  readonly file: string
  readonly lines: number
  readonly covered: number
}

/** What V8 writes about a script. Offsets are those of the text: Node replaces types by blanks. */
interface ScriptCoverage {
  readonly url: string
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[]
  }[]
}

/** Counts the lines of a text that ran; those with blanks, brackets or comments only do not count. */
export function coveredLines({ functions }: ScriptCoverage, text: string): Omit<FileCoverage, 'file'> {
  // Inner ranges come after outer ones and are more exact.
  const ranges = functions.flatMap((each) => each.ranges).toSorted((a, b) => sizeOf(b) - sizeOf(a))
  let [lines, covered, start] = [0, 0, 0]
  for (const line of text.split('\n')) {
    const at = start + (line.length - line.trimStart().length)
    start += line.length + 1
    if (!/\w/.test(line) || /^\s*(?:\/\/|\/?\*)/.test(line)) continue
    lines++
    const range = ranges.findLast(({ startOffset, endOffset }) => startOffset <= at && at < endOffset)
    if ((range?.count ?? 0) > 0) covered++
  }
  return { lines, covered }
}

function sizeOf({ startOffset, endOffset }: { readonly startOffset: number; readonly endOffset: number }): number {
  return endOffset - startOffset
}
