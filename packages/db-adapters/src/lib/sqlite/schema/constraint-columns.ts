/**
 * Columns that a CHECK constraint names. SQLite keeps it as text only: the refusal names the constraint, or shows the
 * condition where it has no name.
 *
 * @param create the statement that made the table
 */
export function checkedColumns(create: string, columns: readonly string[], constraint: string): string[] {
  const words = wordsOf(/^\w+$/.test(constraint) ? conditionOf(create, constraint) : constraint)
  return columns.filter((name) => words.has(name.toLowerCase()))
}

/** What stands in the parentheses after `constraint <name> check`; empty when it is not found. */
function conditionOf(create: string, constraint: string): string {
  const start = new RegExp(`\\bconstraint\\s+["\`[]?${constraint}["\`\\]]?\\s+check\\s*\\(`, 'i').exec(create)
  if (!start) return constraint
  const rest = create.slice(start.index + start[0].length)
  let depth = 1
  for (const [at, character] of [...rest].entries()) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth === 0) return rest.slice(0, at)
  }
  return rest
}

/** Identifiers without regard to case; texts in single quotes are none. */
function wordsOf(condition: string): ReadonlySet<string> {
  return new Set(
    condition
      .replaceAll(/'(?:[^']|'')*'/g, ' ')
      .toLowerCase()
      .match(/"[^"]+"|`[^`]+`|\[[^\]]+\]|[\p{L}_][\p{L}\p{N}_$]*/gu)
      ?.map((word) => word.replaceAll(/["`[\]]/g, '')),
  )
}
