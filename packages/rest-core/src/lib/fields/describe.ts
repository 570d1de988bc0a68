/** A refused input for a message: texts and numbers are shown, shortened; anything else by its kind. */
export function describe(input: unknown): string {
  if (typeof input === 'string') return quote(input)
  if (Array.isArray(input)) return 'an array'
  if (typeof input === 'object' && input !== null) return 'an object'
  return String(input)
}

/** The text in double quotes, with control characters escaped, at most 60 characters of it. */
export function quote(text: string): string {
  return text.length > 60 ? `${JSON.stringify(text.slice(0, 60))}…` : JSON.stringify(text)
}
