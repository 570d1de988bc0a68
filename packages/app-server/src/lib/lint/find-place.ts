/** A place in a text; line and column start at 1. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/**
 * Where a definition says something: searched for in the text, since a definition that a module computes has no positions.
 *
 * @param path keys from the object on; as many as are found one after the other
 * @returns undefined when not even the object is there
 */
export function findPlace(text: string, object: string, path: readonly string[]): TextPlace | undefined {
  const name = new RegExp(`(?<![\\w$])['"]?name['"]?\\s*:\\s*['"\`]?${object}(?![\\w$])`).exec(text)
  let found = name?.index
  for (const [at, key] of path.entries()) {
    // The first key may stand before the name of its object.
    const place = keyPlace(text, key, found ?? 0) ?? (at === 0 ? keyPlace(text, key, 0) : undefined)
    if (place === undefined) break
    found = place
  }
  return found === undefined ? undefined : placeAt(text, found)
}

function keyPlace(text: string, key: string, from: number): number | undefined {
  const pattern = new RegExp(`(?<![\\w$])['"]?${key.replace(/[^\w]/g, '\\$&')}['"]?\\s*:`, 'g')
  pattern.lastIndex = from
  return pattern.exec(text)?.index
}

function placeAt(text: string, index: number): TextPlace {
  const before = text.slice(0, index).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 }
}
