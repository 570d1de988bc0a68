import { unknownField } from '../model/create-model.js'
import type { ObjectModel, ReadableField } from '../model/model.js'
import type { FilterTexts, SearchRequest } from '../service/business-objects.js'
import { allOf, anyOf, negate } from './combine.js'
import { compareFilter, likeFilter, listFilter } from './conditions.js'
import { createContext, filterableField, type FilterContext, type FilterOptions } from './context.js'
import type { Filter } from './filter.js'
import { parseExpression, syntaxError, type Condition, type Expression } from './grammar.js'
import { checkTextLength, filterError, spend } from './limits.js'
import { hasWildcards } from './pattern.js'
import { boundFilter, plainFilter } from './plain.js'

/**
 * Reads the filter texts of a request: all fields must match, several texts of one field are alternatives, blank texts
 * say nothing. `dmin__f`, `dmax__f`, `nmin__f`, `nmax__f` are inclusive bounds.
 *
 * @returns `undefined` when nothing is asked for.
 * @throws RestError ERR_FILTER for a text that cannot be used, ERR_BAD_REQUEST for an unknown field.
 */
export function parseFilterTexts(
  object: ObjectModel,
  texts: FilterTexts,
  options: FilterOptions = {},
): Filter | undefined {
  return parseFilters(object, { filters: texts }, options)
}

/**
 * The same with an expression on several fields, which must match, too.
 *
 * @throws RestError as `parseFilterTexts` and `parseFilterExpression`; limits are those of both together.
 */
export function parseFilters(
  object: ObjectModel,
  { filters = {}, expression }: Pick<SearchRequest, 'filters' | 'expression'>,
  options: FilterOptions = {},
): Filter | undefined {
  const context = createContext(object, options)
  const terms: Filter[] = []
  for (const [name, given] of Object.entries(filters)) {
    const read = textReader(name, context)
    const alternatives: Filter[] = []
    for (const text of typeof given === 'string' ? [given] : given) {
      const filter = read(text)
      if (filter) alternatives.push(filter)
    }
    if (alternatives.length > 0)
      terms.push(alternatives.length === 1 ? (alternatives[0] as Filter) : anyOf(alternatives))
  }
  if (expression !== undefined) terms.push(readExpression(expression, context))
  return terms.length < 2 ? terms[0] : allOf(terms)
}

/**
 * Reads one filter text about one field: a plain value with wildcards, an interval `from;to`, or an expression without
 * the field's name. A text that starts with an operator is an expression; one that starts with a keyword or a parenthesis
 * is an expression when all of it can be read as one (a bare value after a leading `like` needs a wildcard), else a plain
 * value, so that titles such as `In the Heat of the Night` or `Like Mike` can be found.
 *
 * Source: docs/spec/wire-decisions.md, "filters".
 *
 * @returns `undefined` for a blank text.
 * @throws RestError ERR_FILTER for a text that cannot be used, ERR_BAD_REQUEST for an unknown field.
 */
export function parseFilterText(
  object: ObjectModel,
  fieldName: string,
  text: string,
  options: FilterOptions = {},
): Filter | undefined {
  const context = createContext(object, options)
  return readText(filterableField(context, fieldName), text, context)
}

/**
 * Reads an expression with field names, e.g. `mov_state = 'PUB' and (created_by = [LOGIN] or gen_id__gen_code in ('A','B'))`.
 *
 * @param variables values of `[LOGIN]`, `[USERID]`, …, by upper-case name.
 * @throws RestError ERR_FILTER for a text that cannot be used, ERR_BAD_REQUEST for an unknown field.
 */
export function parseFilterExpression(
  object: ObjectModel,
  text: string,
  variables: Readonly<Record<string, string>> = {},
  options: Omit<FilterOptions, 'variables'> = {},
): Filter {
  return readExpression(text, createContext(object, { ...options, variables }))
}

function readExpression(text: string, context: FilterContext): Filter {
  const fieldOf = ({ field, start, position }: Condition): ReadableField => {
    if (field === undefined) throw filterError(`needs the name of a field before position ${position + 1}`)
    return filterableField({ ...context, position: start }, field)
  }
  const expression = parseExpression(text, context.budget)
  if (expression.kind === 'problem') throw syntaxError(text, expression)
  return build(expression, fieldOf, context, false)
}

const boundName = /^[dn](min|max)__(.+)$/

function textReader(name: string, context: FilterContext): (text: string) => Filter | undefined {
  const [, side, bounded = ''] = context.object.field(name) ? [] : (boundName.exec(name) ?? [])
  if (side === undefined) {
    const field = filterableField(context, name)
    return (text) => readText(field, text, context)
  }
  if (!context.object.field(bounded)) throw unknownField(context.object, name)
  const field = filterableField(context, bounded)
  return (text) => {
    spendPlain(field, text, context)
    return boundFilter(field, side === 'min' ? '>=' : '<=', text, context)
  }
}

const startsWithOperator = /^\s*(?:[<>=]|!=)/
const startsLikeExpression = /^\s*(?:(?:like|is|in|not)(?=[\s'(<>=!])|\()/i

function readText(field: ReadableField, text: string, context: FilterContext): Filter | undefined {
  if (text.trim() === '') return undefined
  const mustBeExpression = startsWithOperator.test(text)
  if (mustBeExpression || startsLikeExpression.test(text)) {
    const expression = parseExpression(text, context.budget, field.name)
    if (expression.kind === 'problem') {
      if (mustBeExpression) throw syntaxError(text, expression, field.name)
    } else if (!isMeantAsTitle(expression)) {
      return build(expression, ownField(field), context, false)
    }
  }
  spendPlain(field, text, context)
  return plainFilter(field, text, context)
}

function spendPlain({ name }: ReadableField, text: string, { budget }: FilterContext): void {
  checkTextLength(text, name)
  spend(budget, 1, 0, name)
}

function isMeantAsTitle(expression: Expression): boolean {
  if (expression.kind === 'not') return isMeantAsTitle(expression.term)
  return expression.kind === 'like' && expression.operand.bare && !hasWildcards(expression.operand.text)
}

function ownField(field: ReadableField): (condition: Condition) => ReadableField {
  return ({ field: named, position }) => {
    if (named === undefined) return field
    throw filterError(
      `has "${named}" where an operator is expected, before position ${position + 1}; put texts in single quotes`,
      field.name,
    )
  }
}

/** Negation is carried down to the conditions and applied there once. */
function build(
  expression: Expression,
  fieldOf: (condition: Condition) => ReadableField,
  context: FilterContext,
  negated: boolean,
): Filter {
  switch (expression.kind) {
    case 'and':
    case 'or': {
      const terms = expression.terms.map((term) => build(term, fieldOf, context, negated))
      return (expression.kind === 'and') === negated ? anyOf(terms) : allOf(terms)
    }
    case 'not':
      return build(expression.term, fieldOf, context, !negated)
    default: {
      const field = fieldOf(expression)
      const isNamed = expression.field !== undefined
      const filter = conditionFilter(expression, field, isNamed ? { ...context, position: expression.start } : context)
      return negated ? negate(filter) : filter
    }
  }
}

function conditionFilter(condition: Condition, field: ReadableField, context: FilterContext): Filter {
  switch (condition.kind) {
    case 'compare':
      return compareFilter(field, condition.op, condition.operand, context)
    case 'like':
      return likeFilter(field, condition.operand, context)
    case 'in':
      return listFilter(field, condition.operands, context)
    case 'null':
      return { op: 'null', field: field.name }
  }
}
