import { createRequire } from 'node:module'
import type { PredictionMode } from 'antlr4ts/atn/PredictionMode.js'
import type { ANTLRErrorListener, CharStream, Lexer, Parser, ParserRuleContext, RecognitionException } from 'antlr4ts'

/** Vendors' languages for which there is a grammar. */
export type Language = 'plsql' | 'tsql'

/** Returns what is wrong with one statement by the grammar of its language; undefined when nothing is. */
export type Check = (statement: string) => string | undefined

type ParserOf = Parser & Readonly<Record<string, () => ParserRuleContext>>

const load = createRequire(import.meta.url)

const files = {
  plsql: { folder: 'plsql', name: 'PlSql', rule: 'sql_script' },
  tsql: { folder: 'tsql', name: 'TSql', rule: 'tsql_file' },
} as const

/**
 * The grammar of a language. It knows neither tables nor types, but refuses what other databases write and this one does
 * not understand. A statement costs up to 10 ms of CPU: give each text once, see `collectStatements`.
 *
 * The files of the package are loaded one by one: its index loads four grammars.
 */
export function createCheck(language: Language): Check {
  const { CharStreams, CommonTokenStream } = load('antlr4ts') as typeof import('antlr4ts')
  const { PredictionMode } = load('antlr4ts/atn/PredictionMode.js') as typeof import('antlr4ts/atn/PredictionMode.js')
  const { CaseChangingStream } = load(
    'antlr4ts-sql/dist/src/models/CaseChangingStream.js',
  ) as typeof import('antlr4ts-sql/dist/src/models/CaseChangingStream.js')
  const { folder, name, rule } = files[language]
  const grammar = (part: 'Lexer' | 'Parser'): unknown =>
    (load(`antlr4ts-sql/dist/src/grammar-output/${folder}/${name}${part}.js`) as Record<string, unknown>)[name + part]
  const NewLexer = grammar('Lexer') as new (input: CharStream) => Lexer
  const NewParser = grammar('Parser') as new (tokens: InstanceType<typeof CommonTokenStream>) => ParserOf
  return (statement) => {
    const plain = withPlainNames(statement)
    const text = language === 'plsql' && !/;\s*$/.test(plain) ? `${plain};` : plain
    const problemBy = (prediction: PredictionMode): string | undefined => {
      let problem: string | undefined
      const listener: ANTLRErrorListener<unknown> = {
        syntaxError(_, __, line, column, message: string, ___?: RecognitionException) {
          problem ??= `${message} (line ${line}, column ${column}) in: ${statement}`
        },
      }
      const lexer = new NewLexer(new CaseChangingStream(CharStreams.fromString(text), true))
      lexer.removeErrorListeners()
      lexer.addErrorListener(listener)
      const parser = new NewParser(new CommonTokenStream(lexer))
      parser.interpreter.setPredictionMode(prediction)
      parser.removeErrorListeners()
      parser.addErrorListener(listener)
      parser[rule]?.()
      return problem
    }
    // The faster one accepts nothing that the other refuses, but may refuse what is right.
    return problemBy(PredictionMode.SLL) && problemBy(PredictionMode.LL)
  }
}

/** The grammars know no quotation mark within a quoted name. */
function withPlainNames(statement: string): string {
  return statement.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, (found) =>
    found.startsWith('"') ? `"${found.slice(1, -1).replaceAll('""', '_')}"` : found,
  )
}
