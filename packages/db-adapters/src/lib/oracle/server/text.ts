/** An identifier of any name. */
export function quote(identifier: string): string {
  return `"${identifier}"`
}

/** A text in a statement that takes no values. */
export function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}

/** Names that were never quoted are in capitals there, unlike in other databases. */
export function shownName(name: string): string {
  return /^[A-Z][A-Z0-9_$#]*$/.test(name) ? name.toLowerCase() : name
}
