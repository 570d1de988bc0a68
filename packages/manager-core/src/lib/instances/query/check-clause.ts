import { ManagerError } from '../../../errors.js'

/** Words that no condition on a row needs, and that others could read more with. */
const refused = new Set(['select', 'with', 'values', 'union', 'attach', 'pragma', 'load_extension'])

const help =
  "A filter is one condition on i (instances), v (versions) and r (requests), such as SQL:i.status='started'."

/**
 * Refuses what is more than one condition: other statements, subqueries, brackets that close what they did not open.
 *
 * @throws ManagerError ERR_USAGE
 */
export function checkClause(where: string): void {
  // Strings, quoted names and comments are one token each; one that does not end takes the rest.
  const tokens =
    where.match(/'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`[^`]*`?|\[[^\]]*\]?|--[^\n]*|\/\*[^]*?(?:\*\/|$)|\w+|[^\s\w]/g) ?? []
  let depth = 0
  for (const token of tokens) {
    if (token === ';' || token.startsWith('--') || token.startsWith('/*') || refused.has(token.toLowerCase()))
      throw new ManagerError('ERR_USAGE', `The filter may not contain "${token.slice(0, 40)}".`, { help })
    if (/^['"`[]/.test(token) && !isClosed(token))
      throw new ManagerError('ERR_USAGE', `The filter has a ${token.slice(0, 1)} that does not end.`, { help })
    if (token === '(') depth++
    if (token === ')') depth--
    if (depth < 0) break
  }
  if (depth !== 0) throw new ManagerError('ERR_USAGE', 'The filter has unmatched brackets.', { help })
}

function isClosed(token: string): boolean {
  const end = token.startsWith('[') ? ']' : token.slice(0, 1)
  return token.length > 1 && token.endsWith(end)
}
