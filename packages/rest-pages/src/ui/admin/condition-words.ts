import type { FieldMetadata } from '@steward/rest-core'

/** The texts and the language of sentences. */
export interface Wording {
  readonly t: (key: string, values?: Readonly<Record<string, string | number>>) => string
  readonly language: string
}

const operators = ['<>', '!=', '>=', '<=', '=', '>', '<'] as const

/** `'in progress'`, `[LOGIN]`, an operator, a sign, or a run of other characters. */
const token = /\s*(?:('(?:[^']|'')*')|(\[[^\]]*\])|(<>|!=|>=|<=|[=<>(),])|([^\s'()[\],=<>!]+))/y

/**
 * A row filter in words: `tas_state = 'open'` → `State is Open`.
 *
 * @returns undefined for one that is not understood here
 */
export function conditionWords(text: string, fields: readonly FieldMetadata[], { t }: Wording): string | undefined {
  const tokens = tokensOf(text)
  if (!tokens) return undefined
  let at = 0
  const next = () => tokens[at]?.toLowerCase()
  const takes = (...words: readonly string[]) => {
    if (!words.every((word, index) => tokens[at + index]?.toLowerCase() === word)) return false
    at += words.length
    return true
  }

  try {
    const words = either()
    return at === tokens.length ? words : undefined
  } catch (failure) {
    if (failure instanceof NotUnderstood) return undefined
    throw failure
  }

  function either(): string {
    const terms = [both()]
    while (takes('or')) terms.push(both())
    return terms.join(` ${t('condition.or')} `)
  }

  function both(): string {
    const terms = [one()]
    while (takes('and')) terms.push(one())
    return terms.join(` ${t('condition.and')} `)
  }

  function one(): string {
    if (takes('not')) return t('condition.not', { condition: one() })
    if (!takes('(')) return comparison()
    const inner = either()
    if (!takes(')')) throw new NotUnderstood()
    return `(${inner})`
  }

  function comparison(): string {
    const name = tokens?.[at++] ?? ''
    const field = fields.find((each) => each.name === name)
    if (!/^[A-Za-z]\w*$/.test(name)) throw new NotUnderstood()
    const label = field ? field.label || name : (labelOfPath(name, fields) ?? name)
    if (takes('is', 'not', 'null')) return t('condition.filled', { field: label })
    if (takes('is', 'null')) return t('condition.empty', { field: label })
    const isNot = takes('not')
    if (takes('in', '(')) {
      const values = [value(field)]
      while (takes(',')) values.push(value(field))
      if (!takes(')')) throw new NotUnderstood()
      return t(isNot ? 'condition.notIn' : 'condition.in', { field: label, values: values.join(', ') })
    }
    if (takes('like')) return t(isNot ? 'condition.notLike' : 'condition.like', { field: label, value: value(field) })
    const operator = operators.find((each) => each === next())
    if (isNot || !operator) throw new NotUnderstood()
    at++
    return t(`condition.${operator === '!=' ? '<>' : operator}`, { field: label, value: value(field) })
  }

  /** What stands without quotes may have blanks within. */
  function value(field: FieldMetadata | undefined): string {
    const first = tokens?.[at] ?? ''
    if (first === '' || /^[(),=<>!]/.test(first)) throw new NotUnderstood()
    at++
    if (first.startsWith('[')) {
      const key = `condition.${first.toUpperCase()}`
      return ['[LOGIN]', '[USERID]', '[DATE]', '[DATETIME]'].includes(first.toUpperCase()) ? t(key) : first
    }
    if (first.startsWith("'")) return named(first.slice(1, -1).replaceAll("''", "'"), field, true)
    const words = [first]
    while (
      at < (tokens?.length ?? 0) &&
      /^[^'[(),=<>!]/.test(tokens?.[at] ?? '') &&
      !['and', 'or'].includes(next() ?? '')
    )
      words.push(tokens?.[at++] as string)
    return named(words.join(' '), field, false)
  }

  function named(text: string, field: FieldMetadata | undefined, isText: boolean): string {
    const code = field?.listOfValues?.find((each) => each.code === text)
    if (code) return code.value || code.code
    if (field?.type === 8 && /^(?:true|false)$/i.test(text)) return t(text.toLowerCase() === 'true' ? 'yes' : 'no')
    return isText || Number.isNaN(Number(text)) ? `“${text}”` : text
  }
}

class NotUnderstood extends Error {}

function tokensOf(text: string): string[] | undefined {
  const found: string[] = []
  token.lastIndex = 0
  while (token.lastIndex < text.trimEnd().length) {
    const match = token.exec(text)
    if (!match) return undefined
    found.push(match[0].trim())
  }
  return found
}

/** A field of a linked record by the label of its reference. */
function labelOfPath(name: string, fields: readonly FieldMetadata[]): string | undefined {
  const [start, ...rest] = name.split('__')
  const reference = fields.find((each) => each.name === start)
  return reference && rest.length > 0 ? `${reference.label || start} (${rest.join(', ')})` : undefined
}
