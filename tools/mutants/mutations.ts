import { parseAst } from 'rolldown/parseAst'

/** A mistake that a person could make, as another text of a part of a file. */
export interface Mutation {
  readonly start: number
  readonly end: number
  readonly text: string
  /** For people. */
  readonly what: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly operator?: string
  readonly value?: unknown
  readonly left?: Node
  readonly right?: Node
  readonly test?: Node
  readonly expression?: Node
}

const otherOperators: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
}

/** All mutations of a source in TypeScript, in the order of their places. */
export function mutationsOf(source: string): readonly Mutation[] {
  const found: Mutation[] = []
  const textOf = ({ start, end }: Node) => source.slice(start, end)
  const add = (node: Node, text: string, what: string) =>
    void found.push({ start: node.start, end: node.end, text, what })
  walk(parseAst(source, { lang: 'ts' }), (node) => {
    const { type, operator = '', left, right, test, expression, value } = node
    const other = otherOperators[operator]
    if (left && right && other) add(node, `${textOf(left)} ${other} ${textOf(right)}`, `${operator} is ${other}`)
    if (test && (type === 'IfStatement' || type === 'ConditionalExpression'))
      add(test, `!(${textOf(test)})`, 'a condition is the opposite')
    if (type === 'Literal' && typeof value === 'boolean') add(node, String(!value), `${value} is ${!value}`)
    if (type === 'ExpressionStatement' && expression && isCall(expression))
      add(expression, 'void 0', 'a call is missing')
  })
  return found.toSorted((a, b) => a.start - b.start)
}

export function isParsed(source: string): boolean {
  try {
    parseAst(source, { lang: 'ts' })
    return true
  } catch {
    return false
  }
}

function isCall({ type, ...node }: Node): boolean {
  const { argument } = node as { readonly argument?: Node }
  return type === 'CallExpression' || (type === 'AwaitExpression' && argument?.type === 'CallExpression')
}

/** Types have no behaviour. */
function walk(node: Node, visit: (node: Node) => void): void {
  if (node.type.startsWith('TS') && !/^TS(?:As|Satisfies|NonNull)/.test(node.type)) return
  visit(node)
  for (const child of Object.values(node).flat())
    if (typeof child === 'object' && child !== null && 'type' in child) walk(child as Node, visit)
}
