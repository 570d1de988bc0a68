import type { FieldValue, Filter } from '@steward/rest-core'
import { keyFilter } from './key-filter.js'
import type { Column, Columns, PlaceOf } from './columns.js'
import { valueOf, type Dialect } from './dialect.js'

type Group = Extract<Filter, { terms: unknown }>
type Leaf = Exclude<Filter, Group>
/** What a leaf comes to; the same for all filters of one structure. */
type LeafOp = Leaf['op'] | 'true' | 'false' | 'isTrue' | 'isFalse' | 'blank' | 'notBlank'

const groupKeys: Readonly<Record<Group['op'], string>> = { and: '(&', or: '(|', guarded: '(!' }

/**
 * Describes the structure of a filter (fields, operators, nesting, length class of lists) without its values, and
 * collects the values in the order in which `filterSql` places them.
 *
 * @throws StoreError `value` for values that a column cannot hold
 */
export function filterKey(filter: Filter, columns: Columns, values: unknown[]): string {
  if (isGroup(filter)) {
    let key = groupKeys[filter.op]
    for (const term of filter.terms) key += filterKey(term, columns, values)
    return `${key})`
  }
  const column = columns.readable(filter.field)
  if (column.parts) return filterKey(keyFilter(filter, column.parts), columns, values)
  const op = leafOp(filter, column)
  if (op === 'true' || op === 'false') return `[${op}]`
  if (op === 'isTrue' || op === 'isFalse') return `[${filter.field} ${op}]`
  if ('value' in filter) {
    values.push(
      filter.op === 'contains' || filter.op === 'notContains' ? `;${filter.value};` : column.encode(filter.value),
    )
  } else if ('values' in filter) {
    const list = findable(filter.values, column).map(column.encode)
    if (list.length >= column.longList) {
      values.push(JSON.stringify(list))
      return `[${filter.field} ${op} many]`
    }
    pushList(list, values)
    return `[${filter.field} ${op} ${paddedLength(list.length)}]`
  } else if (op === 'like' || op === 'notLike') {
    const pattern = patternOf(filter)
    const bound = column.pattern?.(pattern) ?? pattern
    for (let times = 0; times < column.patterns; times++) values.push(bound)
    const { escaped, anchored } = patternShape(filter, column)
    if (escaped || anchored) return `[${filter.field} ${op}${escaped ? ' escaped' : ''}${anchored ? ' anchored' : ''}]`
  }
  return `[${filter.field} ${op}]`
}

/**
 * The condition as SQL with one `?` per value that `filterKey` collects, in the same order. A piece for `raw` as a whole: knex
 * has no word for casts, collations and escapes, and takes eight times as long when it puts long filters together itself.
 *
 * @param place Gives a column's expression.
 * @param amongCheaper Conditions other than patterns must hold as well. Default false.
 */
export function filterSql(
  filter: Filter,
  columns: Columns,
  place: PlaceOf,
  dialect: Dialect,
  amongCheaper = false,
): string {
  if (!isGroup(filter)) {
    const column = columns.readable(filter.field)
    if (column.parts) return filterSql(keyFilter(filter, column.parts), columns, place, dialect)
    return leafSql(filter, column, place, dialect, amongCheaper)
  }
  const { op, terms } = filter
  if (terms.length === 0) return op === 'or' ? never : always
  const placed: PlaceOf = op === 'guarded' ? (column) => place(column, true) : place
  const areCheaper = op !== 'or' && (amongCheaper || !terms.every(isPattern))
  return balanced(
    terms.map((term) => filterSql(term, columns, placed, dialect, areCheaper)),
    op === 'or' ? 'or' : 'and',
  )
}

/** Names of the fields in the filter. */
export function* filterFields(filter: Filter): Iterable<string> {
  if (!isGroup(filter)) yield filter.field
  else for (const term of filter.terms) yield* filterFields(term)
}

function isGroup(filter: Filter): filter is Group {
  return 'terms' in filter
}

function isPattern({ op }: Filter): boolean {
  return op === 'like' || op === 'notLike'
}

const always = '1 = 1'
const never = '1 = 0'

function leafOp(leaf: Leaf, { type }: Column): LeafOp {
  if (type.kind === 'boolean') {
    const op = booleanOp(leaf)
    if (op) return op
  }
  const absent = type.facts?.lacks && opOfAbsent(leaf, type.facts.lacks)
  if (absent) return absent
  switch (leaf.op) {
    case 'in':
      return leaf.values.length === 0 ? 'false' : 'in'
    case 'notIn':
      return leaf.values.length === 0 ? 'true' : 'notIn'
    // A pattern that matches any text also matches the empty one, which is not a value.
    case 'like':
      if (leaf.pattern === '') return 'blank'
      return anyText.test(leaf.pattern) ? 'notNull' : 'like'
    case 'notLike':
      if (leaf.pattern === '') return 'notBlank'
      return anyText.test(leaf.pattern) ? 'null' : 'notLike'
    // Booleans are never empty: NULL is false.
    case 'null':
      return type.kind === 'boolean' ? 'false' : 'null'
    case 'notNull':
      return type.kind === 'boolean' ? 'true' : 'notNull'
    default:
      return leaf.op
  }
}

/** A text that the column cannot hold is in no row; compared with the column, it would be an error. */
function opOfAbsent(leaf: Leaf, lacks: (text: string) => boolean): LeafOp | undefined {
  switch (leaf.op) {
    case '=':
    case 'contains':
      return lacks(String(leaf.value)) ? 'false' : undefined
    case '<>':
    case 'notContains':
      return lacks(String(leaf.value)) ? 'true' : undefined
    case 'like':
      return lacks(leaf.pattern) ? 'false' : undefined
    case 'notLike':
      return lacks(leaf.pattern) ? 'true' : undefined
    case 'in':
      return leaf.values.every((value) => lacks(String(value))) ? 'false' : undefined
    case 'notIn':
      return leaf.values.every((value) => lacks(String(value))) ? 'true' : undefined
    default:
      return undefined
  }
}

function findable(values: readonly FieldValue[], { type }: Column): readonly FieldValue[] {
  const lacks = type.facts?.lacks
  return lacks ? values.filter((value) => !lacks(String(value))) : values
}

/** With the value in its text, a condition can use an index of booleans; and NULL, which is false, costs no function. */
function booleanOp(leaf: Leaf): LeafOp | undefined {
  if (leaf.op === '=' || leaf.op === '<>') return (leaf.value === true) === (leaf.op === '=') ? 'isTrue' : 'isFalse'
  if (leaf.op !== 'in' && leaf.op !== 'notIn') return undefined
  const matching = [true, false].filter((value) => leaf.values.includes(value) === (leaf.op === 'in'))
  if (matching.length !== 1) return matching.length === 0 ? 'false' : 'true'
  return matching[0] ? 'isTrue' : 'isFalse'
}

const anyText = /^%+$/

function patternOf(leaf: Leaf): string {
  return (leaf as { pattern: string }).pattern
}

function patternShape(leaf: Leaf, { type }: Column): { readonly escaped: boolean; readonly anchored: boolean } {
  const pattern = patternOf(leaf)
  return { escaped: pattern.includes('\\'), anchored: type.facts?.plainLike === true && !/^[%_]/.test(pattern) }
}

function leafSql(leaf: Leaf, column: Column, place: PlaceOf, dialect: Dialect, amongCheaper: boolean): string {
  const { type } = column
  const bare = valueOf(place(column), type, dialect)
  const isBoolean = type.kind === 'boolean'
  const operand = isBoolean ? `coalesce(${bare}, ${dialect.falseLiteral})` : bare
  const like = (): string => dialect.like(bare, type, { ...patternShape(leaf, column), amongCheaper })
  const orEmpty = (sql: string): string => (isBoolean ? sql : `(${sql} or ${bare} is null)`)
  const op = leafOp(leaf, column)
  switch (op) {
    case 'true':
      return always
    case 'false':
      return never
    case 'isTrue':
      return type.loose && dialect.loose ? dialect.loose.isTrue(place(column)) : `${bare} = ${dialect.trueLiteral}`
    case 'isFalse': {
      const isFalse =
        type.loose && dialect.loose ? dialect.loose.isFalse(place(column)) : `${bare} = ${dialect.falseLiteral}`
      return type.facts?.required ? isFalse : `(${isFalse} or ${bare} is null)`
    }
    case 'null':
      return dialect.isEmpty(bare, type)
    case 'notNull':
      return dialect.isFilled(bare, type)
    case 'blank':
      return `(${bare} is not null and ${dialect.isEmpty(bare, type)})`
    case 'notBlank':
      return `(${bare} is null or ${dialect.isFilled(bare, type)})`
    case '<>':
      return orEmpty(dialect.compare(operand, op, type))
    case '<':
    case '<=':
      // An empty text or a day that is none in an existing table is less than any other, but it is not a value.
      return isText(column) || isExtendedDay(column)
        ? `(${dialect.compare(operand, op, type)} and ${dialect.isFilled(bare, type)})`
        : dialect.compare(operand, op, type)
    case '=':
    case '>':
    case '>=':
      return dialect.compare(operand, op, type)
    case 'like':
      return like()
    case 'notLike':
      return orEmpty(`not (${like()})`)
    case 'contains':
      return dialect.contains(bare)
    case 'notContains':
      return orEmpty(`not (${dialect.contains(bare)})`)
    case 'in':
    case 'notIn': {
      const { length } = findable((leaf as { values: readonly FieldValue[] }).values, column)
      const isLong = dialect.longList && length >= column.longList
      const list = isLong ? dialect.longList.in(operand, type) : dialect.in(operand, paddedLength(length), type)
      return op === 'in' ? list : orEmpty(`not (${list})`)
    }
  }
}

function isText({ type }: Column): boolean {
  return type.kind === 'string' || type.kind === 'text'
}

function isExtendedDay({ type }: Column): boolean {
  return (type.kind === 'date' || type.kind === 'datetime') && type.extended === true
}

/** Lists are filled up to a power of two, so that few shapes serve lists of all lengths. */
function paddedLength(length: number): number {
  return 2 ** Math.ceil(Math.log2(length))
}

function pushList(list: readonly unknown[], values: unknown[]): void {
  values.push(...list)
  for (let missing = paddedLength(list.length) - list.length; missing > 0; missing--) values.push(list.at(-1))
}

/** A tree of low depth: databases limit how deep expressions may be (SQLite: 1,000). */
function balanced(terms: readonly string[], op: 'and' | 'or'): string {
  if (terms.length === 1) return terms[0] as string
  if (terms.length <= 16) return `(${terms.join(` ${op} `)})`
  const middle = terms.length >> 1
  return `(${balanced(terms.slice(0, middle), op)} ${op} ${balanced(terms.slice(middle), op)})`
}
