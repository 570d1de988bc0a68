/** SQL text, and which of the collected values each of its placeholders (`?`) takes. */
export interface Text {
  readonly sql: string
  readonly slots: readonly number[]
}

/**
 * Writes SQL from SQL: strings as they are, and pieces that bring the slots of their placeholders along.
 *
 * @example
 * sql`select count(*) from ${table} where ${{ sql: `${column} > ?`, slots: [0] }}`
 */
export function sql(strings: TemplateStringsArray, ...pieces: readonly (string | Text)[]): Text {
  let text = strings[0] as string
  const taken: number[] = []
  for (const [at, piece] of pieces.entries()) {
    text += typeof piece === 'string' ? piece : piece.sql
    text += strings[at + 1] as string
    if (typeof piece !== 'string') taken.push(...piece.slots)
  }
  return { sql: text, slots: taken }
}

export function joinTexts(pieces: readonly Text[], between: string): Text {
  return { sql: pieces.map((piece) => piece.sql).join(between), slots: pieces.flatMap((piece) => piece.slots) }
}

/** One placeholder. */
export function value(slot: number): Text {
  return { sql: '?', slots: [slot] }
}

export function slots(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => from + at)
}

/** An identifier of any name, in standard SQL. */
export function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

/** The value of the placeholder before it once more; for drivers whose placeholders have numbers or names. */
export const again = '?again'

/** Replaces `?` by the driver's placeholders, but not in quoted names and texts. */
export function numberPlaceholders(text: string, placeholder: (at: number) => string): string {
  let at = 0
  return text.replaceAll(/"[^"]*"|'[^']*'|\?(?:again)?/g, (found) => {
    if (found === '?') return placeholder(++at)
    return found === again ? placeholder(at) : found
  })
}
