/** A text as one word of a POSIX shell, and of most others. */
export function shellWord(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`
}
