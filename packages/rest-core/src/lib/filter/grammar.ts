import { createRequire } from 'node:module'
import type { IToken, ParserMethod, TokenType } from 'chevrotain'
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

/** Lexer and parser, made when first needed: most filters are plain values, and loading what makes parsers is slow. */
function createGrammar() {
  const { createToken, EmbeddedActionsParser, EOF, Lexer } = require('chevrotain') as typeof import('chevrotain')

  // A bare word ends where anything else begins; `!` does so only in `!=`.
  const Word = createToken({ name: 'Word', pattern: /(?:[^\s'(),=<>![\]]|!(?!=))+/, line_breaks: false })
  const keyword = (name: string): TokenType => createToken({ name, pattern: new RegExp(name, 'i'), longer_alt: Word })
  const And = keyword('and')
  const Or = keyword('or')
  const Not = keyword('not')
  const Like = keyword('like')
  const In = keyword('in')
  const Is = keyword('is')
  const Null = keyword('null')
  const Operator = createToken({ name: 'Operator', pattern: /<>|!=|<=|>=|[<>=]/ })
  const Quoted = createToken({ name: 'Quoted', pattern: /'[^']*(?:''[^']*)*'/, line_breaks: true })
  const Variable = createToken({ name: 'Variable', pattern: /\[[^\]\n\r]{1,60}\]/, line_breaks: false })
  const Open = createToken({ name: 'Open', pattern: '(' })
  const Close = createToken({ name: 'Close', pattern: ')' })
  const Comma = createToken({ name: 'Comma', pattern: ',' })
  const Blank = createToken({ name: 'Blank', pattern: /\s+/, group: Lexer.SKIPPED, line_breaks: true })

  const tokens = [Blank, Operator, Quoted, Variable, Open, Close, Comma, And, Or, Not, Like, In, Is, Null, Word]

  /**
   * or := and { "or" and } · and := not { "and" not } · not := { "not" } ( "(" or ")" | condition )
   * condition := [ field ] ( operator value | ["not"] "like" value | ["not"] "in" "(" value { "," value } ")" | "is" ["not"] "null" )
   * value := 'text' | [NAME] | word { word }
   */
  class FilterParser extends EmbeddedActionsParser {
    constructor() {
      super(tokens, { maxLookahead: 2, recoveryEnabled: false })
      this.performSelfAnalysis()
    }

    readonly disjunction: ParserMethod<[], Expression> = this.RULE('disjunction', (): Expression => {
      const terms = [this.SUBRULE(this.conjunction)]
      this.MANY(() => {
        this.CONSUME(Or)
        terms.push(this.SUBRULE2(this.conjunction))
      })
      return terms.length === 1 ? (terms[0] as Expression) : { kind: 'or', terms }
    })

    readonly conjunction: ParserMethod<[], Expression> = this.RULE('conjunction', (): Expression => {
      const terms = [this.SUBRULE(this.negation)]
      this.MANY(() => {
        this.CONSUME(And)
        terms.push(this.SUBRULE2(this.negation))
      })
      return terms.length === 1 ? (terms[0] as Expression) : { kind: 'and', terms }
    })

    readonly negation: ParserMethod<[], Expression> = this.RULE('negation', (): Expression => {
      let negated = false
      this.MANY(() => {
        this.CONSUME(Not)
        negated = !negated
      })
      const term = this.OR([{ ALT: () => this.SUBRULE(this.group) }, { ALT: () => this.SUBRULE(this.condition) }])
      return negated ? { kind: 'not', term } : term
    })

    readonly group: ParserMethod<[], Expression> = this.RULE('group', () => {
      this.CONSUME(Open)
      const inner = this.SUBRULE(this.disjunction)
      this.CONSUME(Close)
      return inner
    })

    readonly condition: ParserMethod<[], Expression> = this.RULE('condition', (): Expression => {
      const field = this.OPTION(() => this.CONSUME(Word))?.image
      const position = this.LA(1).startOffset
      let negated = this.OPTION2(() => this.CONSUME(Not)) !== undefined
      const condition: Condition = this.OR([
        {
          GATE: () => !negated,
          ALT: (): Condition => {
            const { image } = this.CONSUME(Operator)
            const operand = this.SUBRULE(this.value)
            return { kind: 'compare', field, position, op: (image === '!=' ? '<>' : image) as Comparison, operand }
          },
        },
        {
          ALT: (): Condition => {
            this.CONSUME(Like)
            return { kind: 'like', field, position, operand: this.SUBRULE2(this.value) }
          },
        },
        { ALT: (): Condition => ({ kind: 'in', field, position, operands: this.SUBRULE(this.list) }) },
        {
          GATE: () => !negated,
          ALT: (): Condition => {
            this.CONSUME(Is)
            negated = this.OPTION3(() => this.CONSUME2(Not)) !== undefined
            this.CONSUME(Null)
            return { kind: 'null', field, position }
          },
        },
      ])
      return negated ? { kind: 'not', term: condition } : condition
    })

    readonly list: ParserMethod<[], WrittenOperand[]> = this.RULE('list', () => {
      const operands: WrittenOperand[] = []
      this.CONSUME(In)
      this.CONSUME(Open)
      this.AT_LEAST_ONE_SEP({ SEP: Comma, DEF: () => operands.push(this.SUBRULE(this.value)) })
      this.CONSUME(Close)
      return operands
    })

    readonly value: ParserMethod<[], WrittenOperand> = this.RULE('value', () =>
      this.OR([
        { ALT: () => ({ text: unquote(this.CONSUME(Quoted).image), variable: false, bare: false }) },
        { ALT: () => ({ text: this.CONSUME(Variable).image, variable: true, bare: false }) },
        { ALT: () => ({ text: this.SUBRULE(this.words), variable: false, bare: true }) },
      ]),
    )

    readonly words: ParserMethod<[], string> = this.RULE('words', () => {
      const words: IToken[] = []
      this.AT_LEAST_ONE(() => words.push(this.CONSUME(Word)))
      return words.map(({ image }) => image).join(' ')
    })
  }

  return {
    lexer: new Lexer(tokens, { positionTracking: 'onlyOffset' }),
    parser: new FilterParser(),
    tokens: { Open, Close, Comma, Operator, Like, In, Is, EOF },
  }
}

const require = createRequire(import.meta.url)
let grammar: ReturnType<typeof createGrammar> | undefined

function unquote(image: string): string {
  return image.slice(1, -1).replaceAll("''", "'")
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
  grammar ??= createGrammar()
  const { lexer, parser, tokens } = grammar
  checkTextLength(text, field)
  const { tokens: found, errors } = lexer.tokenize(text)
  if (errors[0]) return { kind: 'problem', position: errors[0].offset }
  checkLimits(found, tokens, budget, field)
  parser.input = found
  const expression = parser.disjunction()
  const [error] = parser.errors
  if (!error) return expression
  return { kind: 'problem', position: error.token.tokenType === tokens.EOF ? text.length : error.token.startOffset }
}

function checkLimits(
  found: readonly IToken[],
  { Open, Close, Comma, Operator, Like, In, Is }: ReturnType<typeof createGrammar>['tokens'],
  budget: Budget,
  field: string | undefined,
): void {
  let depth = 0
  let terms = 0
  let commas = 0
  for (const { tokenType } of found) {
    if (tokenType === Open && ++depth > limits.nesting)
      throw filterError(`nests parentheses deeper than ${limits.nesting}`, field)
    if (tokenType === Close) depth--
    if (tokenType === Operator || tokenType === Like || tokenType === In || tokenType === Is) terms++
    if (tokenType === Comma) commas++
  }
  spend(budget, terms, commas, field)
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
