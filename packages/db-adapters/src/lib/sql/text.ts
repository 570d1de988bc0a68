/** An identifier of any name, in standard SQL. */
export function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}
