/** An identifier of any name. */
export function quote(identifier: string): string {
  return `\`${identifier.replaceAll('`', '``')}\``
}
