const most = 5

/** The first ones, as one line. */
export function problemList(problems: readonly string[]): string {
  const shown = problems.slice(0, most).map((text) => text.replace(/\.$/, ''))
  const more = problems.length - shown.length
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`
}
