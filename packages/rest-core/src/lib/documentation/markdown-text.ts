/** A text of a definition as Markdown that shows it, whatever it holds; on one line. */
export function plainText(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]/g, (character) =>
      /[\\`*_[\]<>&|~#]/.test(character) ? `\\${character}` : character,
    )
    .replace(/^(\d+)([.)])(?=\s|$)/, '$1\\$2')
    .replace(/^([-+=])/, '\\$1')
}

/** A name or value as code, in which a backslash stands for itself. */
export function code(text: string): string {
  return /^[^`|<>&\s]+(?: [^`|<>&\s]+)*$/.test(text) ? `\`${text}\`` : plainText(`"${text}"`)
}
