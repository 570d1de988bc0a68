/** Whether the text stands for itself: no wildcard and no escape in it. */
export function isPlain(text: string): boolean {
  return !/[*%_\\]/.test(text)
}

export interface WildcardText {
  /** For `like`: `%` any run, `_` one character, `\` escapes. */
  readonly pattern: string
  /** What is meant when there is no wildcard in it. */
  readonly literal: string
  readonly wildcards: boolean
}

/**
 * Reads a text with wildcards as people write them: `*` and `%` any run, `_` one character, `\` takes the meaning off
 * the character after it.
 *
 * @param underscore `false`: `_` is an ordinary character.
 */
export function readWildcards(text: string, underscore = true): WildcardText {
  let pattern = ''
  let literal = ''
  let wildcards = false
  let inRun = false
  for (let i = 0; i < text.length; i++) {
    let char = text[i] as string
    if (char === '*' || char === '%') {
      if (!inRun) pattern += '%'
      wildcards = inRun = true
      continue
    }
    inRun = false
    if (char === '_' && underscore) {
      wildcards = true
      pattern += '_'
      continue
    }
    if (char === '\\' && i + 1 < text.length) char = text[++i] as string
    literal += char
    pattern += char === '%' || char === '_' || char === '\\' ? `\\${char}` : char
  }
  return { pattern, literal, wildcards }
}

/** A pattern that matches this text only. */
export function escapePattern(text: string): string {
  return text.replace(/[%_\\]/g, String.raw`\$&`)
}

/** Whether there is a wildcard that is not escaped. */
export function hasWildcards(text: string): boolean {
  return readWildcards(text).wildcards
}
