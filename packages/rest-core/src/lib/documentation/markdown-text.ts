/** A text of a definition as Markdown that shows it, whatever it holds; on one line. */
export function plainText(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]/g, (character) =>
      /[\\`*_[\]<>&|~#]/.test(character) ? `\\${character}` : character,
    )
    .replace(/^(\d+)([.)])/, '$1\\$2')
    .replace(/^([-+=])/, '\\$1')
}

/** A name or value as code. */
export function code(text: string): string {
  return /^[^`|<>&\\\s]+(?: [^`|<>&\\\s]+)*$/.test(text) ? `\`${text}\`` : plainText(JSON.stringify(text))
}
