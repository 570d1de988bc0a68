/** An identifier of any name. */
export function quote(identifier: string): string {
  return `[${identifier.replaceAll(']', ']]')}]`
}

/** A text in a statement that takes no values. */
export function text(value: string): string {
  return `N'${value.replaceAll("'", "''")}'`
}
