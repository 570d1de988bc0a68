import type { RestError } from '../../errors.js'
import type { Comparison } from './filter.js'
import type { Operand } from './conditions.js'
import { checkTextLength, filterError, limits, spend, type Budget } from './limits.js'
import { quote } from '../fields/describe.js'

/** An expression as it was written. Positions count UTF-16 units from 0. */
export type Expression =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Expression[] }
  | { readonly kind: 'not'; readonly term: Expression }
  | Condition

export type Condition = {
  /** Only in expressions about a whole object. */
  readonly field: string | undefined
  /** Where the condition starts. */
  readonly start: number
  /** Where what follows the field starts. */
  readonly position: number
} & (
  | { readonly kind: 'compare'; readonly op: Comparison; readonly operand: WrittenOperand }
  | { readonly kind: 'like'; readonly operand: WrittenOperand }
  | { readonly kind: 'in'; readonly operands: readonly WrittenOperand[] }
  | { readonly kind: 'null' }
)

export interface WrittenOperand extends Operand {
  /** Without quotes. */
  readonly bare: boolean
}

/** Where a text stops being an expression. */
export interface SyntaxProblem {
  readonly kind: 'problem'
  readonly position: number
}

/**
 * Reads an expression. Limits are checked before it is parsed, so that no text can overflow the stack.
 *
 * @param field the field it is about, for messages.
 * @throws RestError ERR_FILTER when a limit is passed.
 */
export function parseExpression(text: string, budget: Budget, field?: string): Expression | SyntaxProblem {
  checkTextLength(text, field)
  const tokens = readTokens(text)
  if ('kind' in tokens) return tokens
  checkLimits(tokens, budget, field)
  return parseTokens(tokens)
}

const keywords = ['and', 'or', 'not', 'like', 'in', 'is', 'null'] as const
type Keyword = (typeof keywords)[number]

interface Token {
  readonly kind: Keyword | 'operator' | 'quoted' | 'variable' | '(' | ')' | ',' | 'word' | 'end'
  readonly text: string
  readonly position: number
}

const operator = '<>|!=|<=|>=|[<>=]'
const quoted = "'[^']*(?:''[^']*)*'"
const variable = String.raw`\[[^\]\n\r]{1,60}\]`
// It ends where anything else starts; `!` does so only in `!=`.
const word = String.raw`(?:[^\s'(),=<>![\]]|!(?!=))+`
const token = new RegExp(`${operator}|${quoted}|${variable}|[(),]|${word}`, 'y')
const blanks = /\s*/y

/** The last one is of the kind `end`. */
function readTokens(text: string): readonly Token[] | SyntaxProblem {
  const tokens: Token[] = []
  let position = skipBlanks(text, 0)
  while (position < text.length) {
    token.lastIndex = position
    const [found] = token.exec(text) ?? []
    if (found === undefined) return { kind: 'problem', position }
    tokens.push({ kind: kindOf(found), text: found, position })
    position = skipBlanks(text, position + found.length)
  }
  return [...tokens, { kind: 'end', text: '', position }]
}

function skipBlanks(text: string, position: number): number {
  blanks.lastIndex = position
  blanks.test(text)
  return blanks.lastIndex
}

function kindOf(text: string): Token['kind'] {
  switch (text[0]) {
    case '(':
    case ')':
    case ',':
      return text[0]
    case '<':
    case '>':
    case '=':
      return 'operator'
    case "'":
      return 'quoted'
    case '[':
      return 'variable'
    default:
      if (text === '!=') return 'operator'
      return keywords.find((keyword) => keyword === text.toLowerCase()) ?? 'word'
  }
}

function checkLimits(tokens: readonly Token[], budget: Budget, field: string | undefined): void {
  let depth = 0
  let terms = 0
  let commas = 0
  for (const { kind } of tokens) {
    if (kind === '(' && ++depth > limits.nesting)
      throw filterError(`nests parentheses deeper than ${limits.nesting}`, field)
    if (kind === ')') depth--
    if (kind === 'operator' || kind === 'like' || kind === 'in' || kind === 'is') terms++
    if (kind === ',') commas++
  }
  spend(budget, terms, commas, field)
}

/**
 * or := and { "or" and } · and := not { "and" not } · not := { "not" } ( "(" or ")" | condition )
 * condition := [ field ] ( operator value | ["not"] "like" value | ["not"] "in" "(" value { "," value } ")" | "is" ["not"] "null" )
 * value := 'text' | [NAME] | word { word }
 *
 * A rule that does not fit gives `undefined` and leaves the token that it cannot take as the next one.
 */
function parseTokens(tokens: readonly Token[]): Expression | SyntaxProblem {
  let at = 0
  const expression = disjunction()
  return expression && take('end') ? expression : { kind: 'problem', position: next().position }

  function next(): Token {
    return tokens[at] as Token
  }

  function take(kind: Token['kind']): Token | undefined {
    return next().kind === kind ? tokens[at++] : undefined
  }

  function disjunction(): Expression | undefined {
    return joined('or', conjunction)
  }

  function conjunction(): Expression | undefined {
    return joined('and', negation)
  }

  function joined(kind: 'and' | 'or', part: () => Expression | undefined): Expression | undefined {
    const terms: Expression[] = []
    do {
      const term = part()
      if (!term) return undefined
      terms.push(term)
    } while (take(kind))
    return terms.length === 1 ? terms[0] : { kind, terms }
  }

  function negation(): Expression | undefined {
    let isNegated = false
    while (take('not')) isNegated = !isNegated
    const term = take('(') ? group() : condition()
    return term && isNegated ? { kind: 'not', term } : term
  }

  function group(): Expression | undefined {
    const inner = disjunction()
    return inner && take(')') ? inner : undefined
  }

  function condition(): Expression | undefined {
    const start = next().position
    const field = take('word')?.text
    const place = { field, start, position: next().position }
    if (take('not')) {
      const term = matching(place)
      return term && { kind: 'not', term }
    }
    const compared = take('operator')?.text
    if (compared !== undefined) {
      const operand = value()
      const op = (compared === '!=' ? '<>' : compared) as Comparison
      return operand && { kind: 'compare', ...place, op, operand }
    }
    if (!take('is')) return matching(place)
    const isNegated = take('not') !== undefined
    if (!take('null')) return undefined
    const term: Condition = { kind: 'null', ...place }
    return isNegated ? { kind: 'not', term } : term
  }

  function matching(place: Pick<Condition, 'field' | 'start' | 'position'>): Condition | undefined {
    if (take('like')) {
      const operand = value()
      return operand && { kind: 'like', ...place, operand }
    }
    const operands = take('in') && take('(') && list()
    return operands && { kind: 'in', ...place, operands }
  }

  function list(): readonly WrittenOperand[] | undefined {
    const operands: WrittenOperand[] = []
    do {
      const operand = value()
      if (!operand) return undefined
      operands.push(operand)
    } while (take(','))
    return take(')') && operands
  }

  function value(): WrittenOperand | undefined {
    const text = take('quoted')?.text
    if (text !== undefined) return { text: text.slice(1, -1).replaceAll("''", "'"), variable: false, bare: false }
    const name = take('variable')?.text
    if (name !== undefined) return { text: name, variable: true, bare: false }
    const words: string[] = []
    for (let part = take('word'); part; part = take('word')) words.push(part.text)
    return words.length === 0 ? undefined : { text: words.join(' '), variable: false, bare: true }
  }
}

/** The error for a text that had to be an expression. */
export function syntaxError(text: string, { position }: SyntaxProblem, field?: string): RestError {
  const rest = text.slice(position)
  const place = rest === '' ? 'at its end' : `at position ${position + 1}, near ${quote(rest.slice(0, 20))}`
  const name = field === undefined ? 'field ' : ''
  return filterError(
    `cannot be read ${place}; conditions look like ${name}>= 10, ${name}like 'A%', ${name}is not null, ${name}in ('A', 'B'), joined by and, or, not and parentheses`,
    field,
  )
}
