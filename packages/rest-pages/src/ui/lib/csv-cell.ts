const plainNumber = /^-?\d+(?:\.\d+)?$/
/** Beginnings that make spreadsheets compute a cell, as publications know them. Source: OWASP, "CSV Injection". */
const formula = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/** A whole cell: quoted where needed; what a spreadsheet would compute gets a `'` before it, numbers do not. */
export function escapeCell(text: string): string {
  const safe = formula.test(text) && !plainNumber.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
