import type { FieldValue, ObjectModel, Order, ReadableField, SearchRequest } from '@steward/rest-core'
import * as fc from 'fast-check'
import { anyCharacter } from './any-character.js'
import { pools } from './objects.js'
import { injections } from './injections.js'

/** How a request came about, which says what its answer may be. */
export type Kind = 'valid' | 'mutated' | 'random' | 'injection'

export interface FuzzRequest {
  readonly kind: Kind
  readonly request: SearchRequest
}

/** What is said about one field, by the name of a request parameter. */
type Condition = readonly [name: string, texts: string[]]

/**
 * Requests of every kind, the same for the same seed: valid ones made from the grammar, valid ones with mistakes, texts of
 * any Unicode, and SQL in every place that takes a text.
 */
export function generateRequests(
  object: ObjectModel,
  counts: Readonly<Record<Kind, number>>,
  seed: number,
): FuzzRequest[] {
  const arbitraries: Readonly<Record<Kind, fc.Arbitrary<SearchRequest>>> = {
    valid: validRequest(object),
    mutated: mutatedRequest(object),
    random: randomRequest(object),
    injection: injectionRequest(object),
  }
  return Object.entries(arbitraries).flatMap(([kind, arbitrary]) =>
    fc.sample(arbitrary, { seed, numRuns: counts[kind as Kind] }).map((request) => ({ kind: kind as Kind, request })),
  )
}

function validRequest(object: ObjectModel): fc.Arbitrary<SearchRequest> {
  return requestOf(
    fc.array(fc.oneof(...filterable(object).map(condition)), { minLength: 1, maxLength: 3 }),
    around(object),
    fc.option(wholeExpression(object), { nil: undefined }),
  )
}

function mutatedRequest(object: ObjectModel): fc.Arbitrary<SearchRequest> {
  const mutated = fc
    .oneof(...filterable(object).map(condition))
    .chain(([name, texts]) => fc.tuple(fc.constant(name), fc.tuple(...texts.map(mutate))))
  return fc.oneof(
    { weight: 3, arbitrary: requestOf(fc.array(mutated, { minLength: 1, maxLength: 2 }), around(object)) },
    { weight: 1, arbitrary: requestOf(fc.constant([]), around(object), wholeExpression(object).chain(mutate)) },
  )
}

function randomRequest(object: ObjectModel): fc.Arbitrary<SearchRequest> {
  const name = fc.oneof({ weight: 9, arbitrary: parameterName(object) }, { weight: 1, arbitrary: anyText })
  const texts = fc.array(fc.oneof(anyText, tokens), { minLength: 1, maxLength: 2 })
  const named = fc.tuple(name, fc.oneof(anyText, tokens)).map((parts) => parts.join(' '))
  return fc.oneof(
    {
      weight: 3,
      arbitrary: requestOf(fc.array(fc.tuple(name, texts), { minLength: 1, maxLength: 3 }), fc.constant({})),
    },
    { weight: 1, arbitrary: requestOf(fc.constant([]), fc.constant({}), fc.oneof(named, anyText, tokens)) },
  )
}

function injectionRequest(object: ObjectModel): fc.Arbitrary<SearchRequest> {
  const payload = fc.constantFrom(...injections)
  const good = fc.constant<[string, string[]]>(['itm_code', ['i*']])
  const spoiled = fc
    .tuple(parameterName(object), fc.constantFrom(...fieldNames(object)), payload, payload)
    .chain(([name, field, sql, other]) =>
      fc.constantFrom<SearchRequest>(
        { filters: { [name]: sql } },
        { filters: { [name]: sql } },
        { filters: { [name]: [sql, other] } },
        { filters: { [name]: `= '${sql}'` } },
        { filters: { [name]: `= ${sql}` } },
        { filters: { [name]: `like '${sql}'` } },
        { filters: { [name]: `in ('a', ${sql})` } },
        { filters: { [name]: `is null or ${sql}` } },
        { filters: { [name]: `(${sql})` } },
        { filters: { [name]: `${sql};${other}` } },
        { filters: { [name]: `%${sql}*` } },
        { filters: { [sql]: 'a' } },
        { expression: sql },
        { expression: `${field} = '${sql}' or ${name} is null` },
        { expression: `${field} = ${sql}` },
        { expression: `${field}${sql} = 1` },
        { expression: `${field}__${sql} is null or ${field} in ('${sql}', ${sql})` },
        { filters: { [`${field}__${sql}`]: 'a' } },
        { filters: { [`dmin__${sql}`]: '1' } },
        { filters: { [`${field}${sql}`]: '1' } },
        { order: [{ field: sql, descending: false }] },
        { order: [{ field: `${field}${sql}`, descending: true }] },
        { order: [{ field, descending: sql as unknown as boolean }] },
        { fields: [sql] },
        { fields: [field, `${field}${sql}`] },
        { pageSize: sql as unknown as number },
        { page: sql as unknown as number },
      ),
    )
  return fc.tuple(spoiled, requestOf(fc.array(good, { maxLength: 1 }), fc.constant({}))).map(([bad, base]) => ({
    ...base,
    ...bad,
  }))
}

function requestOf(
  conditions: fc.Arbitrary<(readonly [string, string[]])[]>,
  rest: fc.Arbitrary<Partial<SearchRequest>>,
  whole: fc.Arbitrary<string | undefined> = fc.constant(undefined),
): fc.Arbitrary<SearchRequest> {
  return fc.tuple(conditions, rest, whole).map(([list, more, text]) => ({
    page: 0,
    pageSize: 300,
    expression: text,
    filters: Object.fromEntries(list.map(([name, texts]) => [name, texts.length === 1 ? (texts[0] as string) : texts])),
    ...more,
  }))
}

/** Sort, pages and fields as a client may ask for them. */
function around(object: ObjectModel): fc.Arbitrary<Partial<SearchRequest>> {
  const sortable = filterable(object).filter(({ type }) => type.ordered)
  const order: fc.Arbitrary<Order> = fc.record({
    field: fc.constantFrom(...sortable.map(({ name }) => name)),
    descending: fc.boolean(),
  })
  return fc.record(
    {
      order: fc.uniqueArray(order, { maxLength: 3, selector: ({ field }) => field }),
      fields: fc.subarray(filterable(object).map(({ name }) => name)),
      pageSize: fc.constantFrom(1, 7, 50, 1000),
      page: fc.constantFrom(0, 0, 1, 5, 1_000_000),
      timestamps: fc.boolean(),
    },
    { requiredKeys: [] },
  )
}

function filterable(object: ObjectModel): ReadableField[] {
  const far = farFields.map((name) => object.field(name) as ReadableField)
  return [...object.readable.values(), ...far].filter(({ type }) => type.name !== 'password')
}

const parent = 'itm_owner__per_region__reg_parent__reg_parent'

/** Fields of linked objects that no reference displays, up to five references far. */
const farFields = [
  'itm_owner__created_dt',
  'itm_owner__per_region__reg_area',
  'itm_owner__per_region__reg_flags',
  'itm_owner__per_region__reg_parent',
  'itm_owner__per_region__reg_parent__reg_seaside',
  `${parent}__reg_name`,
  `${parent}__reg_parent__reg_area`,
  `${parent}__reg_parent__reg_code`,
  `${parent}__reg_parent__reg_founded`,
  `${parent}__reg_parent__reg_seaside`,
]

function fieldNames(object: ObjectModel): string[] {
  return filterable(object).map(({ name }) => name)
}

function parameterName(object: ObjectModel): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom('', '', '', 'dmin__', 'dmax__', 'nmin__', 'nmax__'), fc.constantFrom(...fieldNames(object)))
    .map((parts) => parts.join(''))
}

/** A condition on this field that must be answered. */
function condition(field: ReadableField): fc.Arbitrary<Condition> {
  const value = operand(field)
  const forms: fc.Arbitrary<Condition>[] = [
    fc.array(expression(field), { minLength: 1, maxLength: 2 }).map((texts) => [field.name, texts]),
  ]
  if (field.type.name !== 'object') forms.push(plain(field).map((text) => [field.name, [text]]))
  if (field.type.ordered) {
    const bound = fc.constantFrom('dmin__', 'dmax__', 'nmin__', 'nmax__')
    forms.push(fc.tuple(bound, value).map(([prefix, text]) => [`${prefix}${field.name}`, [text]]))
  }
  if (/^(?:integer|decimal|date|datetime|time)$/.test(field.columnType.kind)) {
    forms.push(
      fc
        .tuple(value, value, fc.constantFrom(0, 1, 2))
        .map(([from, to, side]) => [field.name, [[`${from};${to}`, `${from};`, `;${to}`][side] as string]]),
    )
  }
  return fc.oneof(...forms)
}

const keyword = (word: string) => fc.constantFrom(word, word.toUpperCase(), word[0]?.toUpperCase() + word.slice(1))
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

function expression(field: ReadableField): fc.Arbitrary<string> {
  const leaf = leafExpression(field)
  return fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
      { weight: 3, arbitrary: leaf },
      { weight: 1, arbitrary: fc.tuple(keyword('not'), tie('expression')).map(([not, inner]) => `${not} (${inner})`) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(tie('expression'), fc.oneof(keyword('and'), keyword('or')), tie('expression'))
          .map(([a, joint, b]) => `(${a}) ${joint} ${b}`),
      },
    ),
  })).expression
}

/** A condition on several fields. */
function wholeExpression(object: ObjectModel): fc.Arbitrary<string> {
  const named = filterable(object).map((field) => leafExpression(field).map((text) => `${field.name} ${text}`))
  return fc.letrec<{ whole: string }>((tie) => ({
    whole: fc.oneof(
      { maxDepth: 4, depthSize: 'small', withCrossShrink: true },
      { weight: 2, arbitrary: fc.oneof(...named) },
      { weight: 1, arbitrary: fc.tuple(keyword('not'), tie('whole')).map(([not, inner]) => `${not} (${inner})`) },
      {
        weight: 3,
        arbitrary: fc
          .tuple(tie('whole'), fc.oneof(keyword('and'), keyword('or')), tie('whole'))
          .map(([a, joint, b]) => `(${a}) ${joint} ${b}`),
      },
    ),
  })).whole
}

function leafExpression(field: ReadableField): fc.Arbitrary<string> {
  const { type } = field
  const isNull = fc
    .tuple(keyword('is'), fc.constantFrom('', ' not', ' NOT'), keyword('null'))
    .map(([is, not, none]) => `${is}${not} ${none}`)
  if (type.name === 'object') return isNull
  const value = operand(field).map(quoted)
  const negation = fc.constantFrom('', 'not ', 'NOT ')
  const operators = ['=', '<>', '!=', ...(type.ordered ? ['<', '<=', '>', '>='] : [])]
  return fc.oneof(
    isNull,
    fc.tuple(fc.constantFrom(...operators), fc.constantFrom('', ' ', '  '), value).map((parts) => parts.join('')),
    fc
      .tuple(negation, keyword('in'), fc.array(value, { minLength: 1, maxLength: 4 }))
      .map(([not, word, values]) => `${not}${word} (${values.join(', ')})`),
    ...(type.like
      ? [
          fc
            .tuple(negation, keyword('like'), pattern(field))
            .map(([not, word, text]) => `${not}${word} ${quoted(text)}`),
        ]
      : []),
    ...(field.columnType.kind.startsWith('date')
      ? [fc.tuple(fc.constantFrom(...operators), relative).map((parts) => parts.join(' '))]
      : []),
  )
}

/** Far from every date in the rows, so that it does not matter when the test runs. */
const relative = fc.constantFrom('[DATE:-3m]', '[DATE:+1d-2w]', '[DATETIME:-12h]', '[DATE]', '[date:-1m]')

/** A text that is not an expression. */
function plain(field: ReadableField): fc.Arbitrary<string> {
  if (!field.type.like) return operand(field)
  const harmless = (text: string) => !/^\s*(?:[<>=!([]|(?:like|is|in|not)\b)/i.test(text)
  // Where there is no wildcard in it, a date or a number must be one.
  return fc
    .oneof(
      operand(field),
      pattern(field).map((text) => `${text}*`),
    )
    .filter(harmless)
}

/** A text that the field's type can read; never blank. */
function operand({ name, type }: ReadableField): fc.Arbitrary<string> {
  const filled = poolOf(name)
    .map(textOf)
    .filter((text) => text.trim() !== '')
  const more = {
    id: ['1', '200', '9223372036854775807'],
    datetime: ['2024-02-29', '2024-02-29T12:00:00Z'],
    boolean: ['1', '0'],
  }
  return fc.constantFrom(...filled, ...(more[type.name as keyof typeof more] ?? []))
}

/** A text with wildcards, escapes and the other case in it. */
function pattern(field: ReadableField): fc.Arbitrary<string> {
  const changes = fc.array(fc.tuple(fc.nat(20), fc.constantFrom('%', '*', '_', '\\%', '\\_', '\\\\', 'A', "'")), {
    maxLength: 3,
  })
  return fc.tuple(operand(field), changes, fc.boolean()).map(([text, list, upper]) => {
    const characters = [...(upper ? text.toUpperCase() : text).slice(0, 40)]
    for (const [at, wildcard] of list) characters.splice(at % (characters.length + 1), 0, wildcard)
    return characters.join('')
  })
}

function poolOf(name: string): readonly FieldValue[] {
  return pools[name] ?? pools[name.slice(name.lastIndexOf('__') + 2)] ?? ['1', '2', '3', '42']
}

function textOf(value: FieldValue): string {
  return Array.isArray(value) ? value.join(';') : value === null ? '' : String(value)
}

const mutations = fc.array(
  fc.record({
    at: fc.nat(200),
    remove: fc.nat(4),
    insert: fc.oneof(
      fc.constantFrom(
        "'",
        '"',
        '(',
        ')',
        ',',
        ';',
        '\\',
        '--',
        '/*',
        ' and ',
        ' or ',
        ' not ',
        'null',
        '=',
        '<',
        '[',
        ']',
        '%',
        '',
        '\0',
        '\ud800',
        '\u202e',
      ),
      fc.string({ unit: anyCharacter, maxLength: 3 }),
    ),
  }),
  { minLength: 1, maxLength: 4 },
)

function mutate(text: string): fc.Arbitrary<string> {
  return mutations.map((list) => {
    let mutated = text
    for (const { at, remove, insert } of list) {
      const place = at % (mutated.length + 1)
      mutated = mutated.slice(0, place) + insert + mutated.slice(place + remove)
    }
    return mutated
  })
}

/** Any UTF-16 units, whether or not they are well-formed. */
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ maxLength: 60 }),
  fc.array(fc.nat(0xffff), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
)

/** Pieces of the filter language in any order. */
const tokens = fc
  .array(
    fc.constantFrom(
      ...[
        '=',
        '<>',
        '<',
        '>=',
        'like',
        'not',
        'in',
        'is',
        'null',
        'and',
        'or',
        '(',
        ')',
        ',',
        ';',
        "'",
        "''",
        '[',
        ']',
        '\\',
        '*',
        '%',
        '_',
      ],
      ...[
        "'a'",
        "'it''s'",
        '5',
        '-1.5',
        '1e400',
        '2024-01-01',
        '[DATE:-3m]',
        '[LOGIN]',
        'true',
        'A*',
        '48.8;2.3',
        '9007199254740993',
        '\ufeff',
        '\u2028',
      ],
    ),
    { maxLength: 14 },
  )
  .chain((all) => fc.constantFrom(all.join(' '), all.join('')))
