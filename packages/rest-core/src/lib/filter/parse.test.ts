import { describe, expect, test } from 'vitest'
import { RestError } from '../../errors.js'
import type { Filter } from './filter.js'
import { movie } from './movie-for-test.js'
import { parseFilterExpression, parseFilterText, parseFilterTexts } from './parse.js'

const now = () => new Date('2024-03-31T10:20:30.999Z')

/** One line per filter, so that tables stay readable. */
function show(filter: Filter | undefined): string {
  if (filter === undefined) return 'none'
  if ('terms' in filter) return `(${filter.terms.map(show).join(` ${filter.op} `)})`
  const right =
    'values' in filter
      ? filter.values
      : 'pattern' in filter
        ? filter.pattern
        : 'value' in filter
          ? filter.value
          : undefined
  return [filter.field, filter.op, ...(right === undefined ? [] : [JSON.stringify(right)])].join(' ')
}

function text(field: string, value: string): string {
  return show(parseFilterText(movie, field, value, { now }))
}

function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (!RestError.is(error)) throw error
    expect(error.status).toBe(400)
    return `${error.code} ${error.message}`
  }
  throw new Error('It was not refused.')
}

describe('a plain value', () => {
  test.each([
    ['title', 'Alien', 'title = "Alien"'],
    ['title', 'in progress', 'title = "in progress"'],
    ['title', 'not yet', 'title = "not yet"'],
    ['title', 'is', 'title = "is"'],
    ['title', 'Island', 'title = "Island"'],
    ['title', 'In the Heat of the Night', 'title = "In the Heat of the Night"'],
    ['title', '(500) Days of Summer', 'title = "(500) Days of Summer"'],
    ['title', 'Like Mike', 'title = "Like Mike"'],
    ['title', 'Not like Mike', 'title = "Not like Mike"'],
    ['title', '!Three Amigos!', 'title = "!Three Amigos!"'],
    ['title', 'Tom;Jerry', 'title = "Tom;Jerry"'],
    ['title', "it's", `title = "it's"`],
    ['title', '[LOGIN]', 'title = "[LOGIN]"'],
    ['title', '[DATE]', 'title = "[DATE]"'],
    ['title', ' padded ', 'title = " padded "'],
    ['year', ' 2024 ', 'year = 2024'],
    ['year', '-5', 'year = -5'],
    ['big', '9007199254740993', 'big = "9007199254740993"'],
    ['price', '12.50', 'price = 12.5'],
    ['seen', '1', 'seen = true'],
    ['seen', 'false', 'seen = false'],
    ['released', '2024-01-02', 'released = "2024-01-02"'],
    ['bought', '2024-01-02T10:00:00Z', 'bought = "2024-01-02 10:00:00"'],
    ['starts', '10:00', 'starts = "10:00:00"'],
    ['state', 'PUB', 'state = "PUB"'],
    ['state', 'OLD', 'state = "OLD"'],
    ['state', 'GONE', 'state = "GONE"'],
    ['gen_id', '12', 'gen_id = "12"'],
    ['gen_id', '0', 'gen_id null'],
    ['gen_id__gen_code', 'A', 'gen_id__gen_code = "A"'],
    ['row_id', '7', 'row_id = "7"'],
    ['created_by', 'joe', 'created_by = "joe"'],
    ['place', '1.50;2', 'place = "1.5;2"'],
  ])('%s: %j', (field, value, expected) => {
    expect(text(field, value)).toBe(expected)
  })

  test.each(['', ' ', '\t\n'])('%j asks for nothing', (value) => {
    expect(parseFilterText(movie, 'title', value)).toBeUndefined()
    expect(parseFilterText(movie, 'year', value)).toBeUndefined()
  })
})

describe('wildcards in a plain value', () => {
  test.each([
    ['title', 'A*', 'title like "A%"'],
    ['title', '%lien', 'title like "%lien"'],
    ['title', 'A_ien', 'title like "A_ien"'],
    ['title', '**a%%*', 'title like "%a%"'],
    ['title', '*', 'title notNull'],
    ['title', '%', 'title notNull'],
    ['title', String.raw`50\%`, 'title = "50%"'],
    ['title', String.raw`a\*b`, 'title = "a*b"'],
    ['title', String.raw`a\_b*`, String.raw`title like "a\\_b%"`],
    ['title', String.raw`a\\b`, String.raw`title = "a\\b"`],
    ['title', String.raw`a\\%`, String.raw`title like "a\\\\%"`],
    ['title', 'end\\', String.raw`title = "end\\"`],
    ['title', '*end\\', String.raw`title like "%end\\\\"`],
    ['year', '19*', 'year like "19%"'],
    ['released', '2024-05*', 'released like "2024-05%"'],
    ['bought', '2024-05-01 1_:%', 'bought like "2024-05-01 1_:%"'],
    ['gen_id', '1*', 'gen_id like "1%"'],
    ['gen_id__gen_code', 'A%', 'gen_id__gen_code like "A%"'],
    ['price', '*', 'price notNull'],
    ['extra', '*', 'extra notNull'],
    ['tags', '*', 'tags notNull'],
    ['state', 'IN_WORK', 'state = "IN_WORK"'],
    ['state', 'IN_*', String.raw`state like "IN\\_%"`],
  ])('%s: %j', (field, value, expected) => {
    expect(text(field, value)).toBe(expected)
  })
})

describe('an interval', () => {
  test.each([
    ['year', '2000;2010', '(year >= 2000 and year <= 2010)'],
    ['year', '2000;', 'year >= 2000'],
    ['year', ' ; 2010', 'year <= 2010'],
    ['year', ';', 'none'],
    ['price', '1.5;2', '(price >= 1.5 and price <= 2)'],
    ['released', '2024-01-01;2024-12-31', '(released >= "2024-01-01" and released <= "2024-12-31")'],
    ['released', '[DATE:-3m];[DATE]', '(released >= "2023-12-31" and released <= "2024-03-31")'],
    ['bought', '2024-01-01;2024-01-31', '(bought >= "2024-01-01 00:00:00" and bought <= "2024-01-31 23:59:59")'],
    ['bought', '2024-01-01 10:00;', 'bought >= "2024-01-01 10:00:00"'],
    ['starts', '08:00;12:00', '(starts >= "08:00:00" and starts <= "12:00:00")'],
  ])('%s: %j', (field, value, expected) => {
    expect(text(field, value)).toBe(expected)
  })
})

describe('an expression about one field', () => {
  test.each([
    ['title', '= Alien', 'title = "Alien"'],
    ['title', "='Alien'", 'title = "Alien"'],
    ['title', '!= Alien', 'title <> "Alien"'],
    ['title', '<>Alien', 'title <> "Alien"'],
    ['title', "= 'it''s'", `title = "it's"`],
    ['title', "= 'a*b%'", 'title = "a*b%"'],
    ['title', String.raw`= 'a\b'`, String.raw`title = "a\\b"`],
    ['title', "= ''", 'title null'],
    ['title', "<> ''", 'title notNull'],
    ['title', '= The Third Man', 'title = "The Third Man"'],
    ['title', ">= 'A' and < 'B'", '(title >= "A" and title < "B")'],
    ['title', "like 'A%'", 'title like "A%"'],
    ['title', 'LIKE A*', 'title like "A%"'],
    ['title', "not like 'A%'", 'title notLike "A%"'],
    ['title', "like '%'", 'title notNull'],
    ['title', "not like '%'", 'title null'],
    ['title', "like ''", 'title null'],
    ['title', "like 'Mike'", 'title like "Mike"'],
    ['title', 'is null', 'title null'],
    ['title', 'Is Not Null', 'title notNull'],
    ['title', "in ('A', 'B', 'A')", 'title in ["A","B"]'],
    ['title', 'in (A)', 'title = "A"'],
    ['title', 'in(A,B C)', 'title in ["A","B C"]'],
    ['title', "not in ('A','B')", 'title notIn ["A","B"]'],
    ['title', "in ('A','')", '(title = "A" or title null)'],
    ['title', "not in ('A','')", '(title <> "A" and title notNull)'],
    ['title', "= 'A' or = 'B' or in ('C','D')", 'title in ["A","B","C","D"]'],
    ['title', "<> 'A' and <> 'B'", 'title notIn ["A","B"]'],
    ['title', "not (= 'A' or like 'B%')", '(title <> "A" and title notLike "B%")'],
    ['title', "not (= 'A' and not like 'B%')", '(title <> "A" or title like "B%")'],
    ['title', 'not not is null', 'title null'],
    ['title', "(((= 'A')))", 'title = "A"'],
    ['title', "= 'A' or = 'B' and like 'C%'", '(title = "A" or (title = "B" and title like "C%"))'],
    [
      'title',
      "(= 'A' or like 'B%') and (like 'C%' and (like 'D%' and like 'E%'))",
      '((title = "A" or title like "B%") and title like "C%" and title like "D%" and title like "E%")',
    ],
    ['year', '>2000', 'year > 2000'],
    ['year', '>= 2000 and <= 2010 or = 1984', '((year >= 2000 and year <= 2010) or year = 1984)'],
    ['year', 'not >= 2000', '(year < 2000 or year null)'],
    ['year', 'not (< 2000 and > 1990)', '(year >= 2000 or year null or year <= 1990 or year null)'],
    ['year', '= -5', 'year = -5'],
    ['year', 'in (1, 2)', 'year in [1,2]'],
    ['year', "like '19%'", 'year like "19%"'],
    ['seen', '= true', 'seen = true'],
    ['seen', 'not = true', 'seen <> true'],
    ['seen', 'not < true', 'seen >= true'],
    ['released', '>= 2024-01-01', 'released >= "2024-01-01"'],
    ['released', '< [DATE:+1y]', 'released < "2025-03-31"'],
    ['bought', '= 2024-01-01 10:00', 'bought = "2024-01-01 10:00:00"'],
    ['bought', '> [DATETIME:-12h]', 'bought > "2024-03-30 22:20:30"'],
    ['state', "like 'IN_%'", 'state like "IN_%"'],
    ['extra', 'is null', 'extra null'],
  ])('%s: %j', (field, value, expected) => {
    expect(text(field, value)).toBe(expected)
  })
})

describe('a date without a time on a field with times means the whole day', () => {
  test.each([
    ['2024-01-01', '(bought >= "2024-01-01 00:00:00" and bought <= "2024-01-01 23:59:59")'],
    ['[DATE]', '(bought >= "2024-03-31 00:00:00" and bought <= "2024-03-31 23:59:59")'],
    ['<> 2024-01-01', '(bought < "2024-01-01 00:00:00" or bought > "2024-01-01 23:59:59" or bought null)'],
    ['< 2024-01-01', 'bought < "2024-01-01 00:00:00"'],
    ['<= 2024-01-01', 'bought <= "2024-01-01 23:59:59"'],
    ['> 2024-01-01', 'bought > "2024-01-01 23:59:59"'],
    ['>= 2024-01-01', 'bought >= "2024-01-01 00:00:00"'],
  ])('%j', (value, expected) => {
    expect(text('bought', value)).toBe(expected)
  })
})

describe('on a multi-enum everything is about the codes that it holds', () => {
  test.each([
    ['a', 'tags contains "a"'],
    ['b;a', '(tags contains "a" and tags contains "b")'],
    ["= 'a'", 'tags contains "a"'],
    ["<> 'a'", 'tags notContains "a"'],
    ["<> 'a;b'", '(tags notContains "a" or tags notContains "b")'],
    ["in ('a','b')", '(tags contains "a" or tags contains "b")'],
    ['not in (a,b)', '(tags notContains "a" and tags notContains "b")'],
    ['is null', 'tags null'],
  ])('%j', (value, expected) => {
    expect(text('tags', value)).toBe(expected)
  })
})

describe('a text that cannot be used is refused and says why', () => {
  test.each([
    ['title', '=', 'Filter on "title" cannot be read at its end; conditions look like '],
    ['title', "= 'open", `Filter on "title" cannot be read at position 3, near "'open"; `],
    ['title', "= 'a' = 'b'", `Filter on "title" cannot be read at position 7, near "= 'b'"; `],
    ['title', '= a)', 'Filter on "title" cannot be read at position 4, near ")"; '],
    ['title', '> (5)', 'Filter on "title" cannot be read at position 3, near "(5)"; '],
    ['title', '= Romeo and Juliet', 'Filter on "title" cannot be read at its end; '],
    [
      'title',
      '>= a and year = 5',
      'Filter on "title" has "year" where an operator is expected, before position 15; put texts in single quotes.',
    ],
    ['title', '<>', 'Filter on "title" cannot be read at its end; '],
    ['title', '= [NOW]', 'Filter on "title" has "[NOW]", which is not known here; known are [DATE] [DATETIME].'],
    ['title', "> ''", 'Filter on "title" needs a value after >.'],
    ['title', 'a\0', 'Filter on "title" must not contain the NUL character.'],
    ['title', '*\ud800', 'Filter on "title" must be well-formed Unicode, but contains half of a surrogate pair.'],
    ['year', 'abc', 'Filter on "year" must be a whole number, not "abc".'],
    ['year', '1;2;3', 'Filter on "year" must be a whole number, not "2;3".'],
    ['year', '12345678901234567890', 'Filter on "year" must have at most 15 digits.'],
    ['price', '1*', 'Filter on "price" must be a number, not "1*".'],
    ['price', "like '1%'", 'Filter on "price" cannot use like or wildcards, because it is of type "decimal".'],
    ['price', '0.1234', 'Filter on "price" must have at most 3 digits after the point.'],
    ['seen', 'maybe', 'Filter on "seen" must be true or false, not "maybe".'],
    ['released', '2024-02-30', 'Filter on "released" must be a date such as 2024-02-29, not "2024-02-30".'],
    ['released', '[DATE:-3x]', 'Filter on "released" has "[DATE:-3x]"; relative dates look like '],
    ['released', '[DATE:-3h]', 'Filter on "released" has "[DATE:-3h]"; relative dates look like '],
    ['tags', '> a', 'Filter on "tags" cannot use >, because values of type "multi-enum" have no order.'],
    ['tags', "like 'a%'", 'Filter on "tags" cannot use like or wildcards, because it is of type "multi-enum".'],
    ['extra', '5', 'Filter on "extra" can only be "is null" or "is not null".'],
    ['gen_id', 'abc', 'Filter on "gen_id" must be a row id (a whole number of up to 64 bits), not "abc".'],
    ['gen_id', "1' or '1'='1", 'Filter on "gen_id" must be a row id (a whole number of up to 64 bits), not '],
  ])('%s: %j', (field, value, expected) => {
    expect(
      refusal(() => text(field, value)).startsWith(`ERR_FILTER ${expected}`),
      refusal(() => text(field, value)),
    ).toBe(true)
  })

  test('the message travels with its code and field', () => {
    expect(() => parseFilterText(movie, 'year', '> x')).toThrow(
      expect.objectContaining({
        code: 'ERR_FILTER',
        messages: [{ code: 'ERR_FILTER', field: 'year', text: 'Filter on "year" must be a whole number, not "x".' }],
      }),
    )
  })
})

describe('a field that cannot be filtered', () => {
  test.each([
    'nope',
    'password',
    'secret',
    'gen_id__gen_secret',
    '__proto__',
    'constructor',
    '',
    'dmin__nope',
    'nmax__secret',
    'dmin__',
    'xmin__year',
  ])('%j is unknown', (field) => {
    const expected = expect.objectContaining({
      code: 'ERR_BAD_REQUEST',
      messages: [expect.objectContaining({ code: 'ERR_UNKNOWN_FIELD' })],
    })
    expect(() => parseFilterTexts(movie, { ['title']: 'a', ...JSON.parse(`{${JSON.stringify(field)}:"x"}`) })).toThrow(
      expected,
    )
    expect(() => parseFilterText(movie, field, '')).toThrow(expected)
  })

  test('hidden for the user is the same as missing', () => {
    const hides = ({ name }: { name: string }) => name === 'year'
    const missing = refusal(() => parseFilterText(movie, 'yeer', '> x', { hides })).replaceAll('yeer', 'year')
    expect(refusal(() => parseFilterText(movie, 'year', '> x', { hides }))).toBe(missing)
    expect(refusal(() => parseFilterTexts(movie, { nmin__year: 'x' }, { hides }))).toBe(missing)
    const refused = (name: string) =>
      refusal(() => parseFilterExpression(movie, `title = 1 or ${name} > x`, {}, { hides }))
    expect(refused('year')).toBe(refused('yeer').replaceAll('yeer', 'year'))
    expect(refused('yeer')).not.toContain('Did you mean')
  })
})

describe('an expression with field names', () => {
  const variables = { LOGIN: 'joe', USERID: '7', NOBODY: '' }
  const expression = (value: string): string => show(parseFilterExpression(movie, value, variables, { now }))

  test.each([
    [
      "state = 'PUB' and (created_by = [LOGIN] or gen_id__gen_code in ('A','B'))",
      '(state = "PUB" and (created_by = "joe" or gen_id__gen_code in ["A","B"]))',
    ],
    ['state=PUB', 'state = "PUB"'],
    ['year>=2000 AND year<2010', '(year >= 2000 and year < 2010)'],
    ['year not in (1,2) or title is not null', '(year notIn [1,2] or title notNull)'],
    ['not title not like A%', 'title like "A%"'],
    ['gen_id = [USERID]', 'gen_id = "7"'],
    ['created_by in ([LOGIN], [userid])', 'created_by in ["joe","7"]'],
    ['created_by like [LOGIN]', 'created_by like "joe"'],
    ["title = '[LOGIN]'", 'title = "[LOGIN]"'],
    ['released < [DATE:-1m]', 'released < "2024-02-29"'],
    ['title like Mike', 'title like "Mike"'],
    ["title=''", 'title null'],
  ])('%j', (value, expected) => {
    expect(expression(value)).toBe(expected)
  })

  test.each([
    ['', 'ERR_FILTER Filter cannot be read at its end; conditions look like field >= 10'],
    ['state', 'ERR_FILTER Filter cannot be read at its end; '],
    ['= 5', 'ERR_FILTER Filter needs the name of a field before position 1.'],
    ['year = 5 or (is null)', 'ERR_FILTER Filter needs the name of a field before position 14.'],
    [
      'yeer = 5',
      'ERR_BAD_REQUEST Object "Movie" has no field "yeer", at position 1 of the filter. Did you mean "year"?',
    ],
    ['password = x', 'ERR_BAD_REQUEST Object "Movie" has no field "password", at position 1 of the filter.'],
    [
      "title = 'a' or (year = 1 and gen_id__gen_cod = 'b')",
      'ERR_BAD_REQUEST Object "Movie" has no field "gen_id__gen_cod", at position 30 of the filter. Did you mean "gen_id__gen_code"?',
    ],
    [
      "gen_i__gen_code = 'b'",
      'ERR_BAD_REQUEST Object "Movie" has no field "gen_i__gen_code", at position 1 of the filter. Did you mean "gen_id__gen_code"?',
    ],
    ['title = x or year = abc', 'ERR_FILTER Filter on "year" at position 14 must be a whole number, not "abc".'],
    ["title = 'a'; drop table movie", 'ERR_FILTER Filter cannot be read at position 12, near "; drop table movie"'],
    [
      'created_by = [login_name]',
      'ERR_FILTER Filter on "created_by" at position 1 has "[login_name]", which is not known here; known are [DATE] [DATETIME] [LOGIN] [USERID] [NOBODY].',
    ],
    [
      'created_by = [__proto__]',
      'ERR_FILTER Filter on "created_by" at position 1 has "[__proto__]", which is not known',
    ],
    ['year in ()', 'ERR_FILTER Filter cannot be read at position 10, near ")"'],
    ['year = 1 year = 2', 'ERR_FILTER Filter cannot be read at position 15, near "= 2"'],
  ])('%j is refused', (value, expected) => {
    expect(
      refusal(() => expression(value)).startsWith(expected),
      refusal(() => expression(value)),
    ).toBe(true)
  })

  test('an empty variable equals nothing, not what is empty', () => {
    const never = '(created_by null and created_by notNull)'
    expect(expression('created_by = [NOBODY]')).toBe(never)
    expect(expression('created_by in ([NOBODY])')).toBe(never)
    expect(expression('created_by like [NOBODY]')).toBe(never)
    expect(expression('created_by <> [NOBODY]')).toBe('(created_by notNull or created_by null)')
  })

  test('variables in patterns stand for themselves', () => {
    const filter = parseFilterExpression(movie, 'created_by like [LOGIN]', { LOGIN: 'a_%' })
    expect(show(filter)).toBe(String.raw`created_by like "a\\_\\%"`)
  })
})

describe('parseFilterTexts()', () => {
  const texts = (values: Record<string, string | string[]>): string => show(parseFilterTexts(movie, values, { now }))

  test.each([
    [{}, 'none'],
    [{ title: '' }, 'none'],
    [{ title: 'A' }, 'title = "A"'],
    [{ title: ['A', 'B'] }, 'title in ["A","B"]'],
    [{ title: ['A', '', 'B*'] }, '(title = "A" or title like "B%")'],
    [{ title: [] }, 'none'],
    [{ title: 'A', year: '>5' }, '(title = "A" and year > 5)'],
    [{ title: ['A', 'B'], year: ['1;2', '9'] }, '(title in ["A","B"] and ((year >= 1 and year <= 2) or year = 9))'],
    [{ nmin__year: '2000', nmax__year: '2010' }, '(year >= 2000 and year <= 2010)'],
    [{ nmin__year: '', nmax__year: '2010' }, 'year <= 2010'],
    [
      { dmin__released: '2024-01-01', dmax__released: '[DATE]' },
      '(released >= "2024-01-01" and released <= "2024-03-31")',
    ],
    [
      { dmin__bought: '2024-01-01', dmax__bought: '2024-01-31' },
      '(bought >= "2024-01-01 00:00:00" and bought <= "2024-01-31 23:59:59")',
    ],
    [{ dmax__created_dt: '2024-01-31' }, 'created_dt <= "2024-01-31 23:59:59"'],
  ])('%j', (values, expected) => {
    expect(texts(values)).toBe(expected)
  })

  test('bounds are values, not expressions', () => {
    expect(refusal(() => texts({ nmin__year: '> 5' }))).toBe(
      'ERR_FILTER Filter on "year" must be a whole number, not "> 5".',
    )
    expect(refusal(() => texts({ nmin__tags: 'a' }))).toMatch(/^ERR_FILTER Filter on "tags" cannot use >=/)
  })
})
