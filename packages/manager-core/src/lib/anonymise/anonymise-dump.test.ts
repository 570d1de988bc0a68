import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anonymise, dumpOf, field, object, user, type Rows } from './application-for-test.js'

/** The column of a result, without the row id. */
const column = (rows: Rows | undefined, at = 1) => (rows ?? []).map((row) => row[at])

describe('what is equal stays equal, and what is different different', () => {
  const objects = [
    object('Person', [
      field('per_email', { type: 'email', unique: true }),
      field('per_name', { length: 60 }),
      field('per_code', { unique: true, length: 3 }),
      field('per_number', { type: 'integer', unique: true, precision: 9, min: 1 }),
    ]),
    object('Order', [
      field('ord_customer', { length: 100 }),
      field('ord_name', { length: 200 }),
      field('ord_number', { type: 'integer' }),
    ]),
  ]
  const rules = (kind: string, seed = 'a') => `
seed: ${seed}
objects:
  Person: { per_email: ${kind}, per_name: ${kind === 'hash' ? kind : '{ fake: name }'}, per_code: hash, per_number: ${kind} }
  Order:
    ord_customer: ${kind === 'hash' ? kind : '{ fake: email }'}
    ord_name: ${kind === 'hash' ? kind : '{ fake: name }'}
    ord_number: ${kind}`
  const people = Array.from({ length: 40 }, (_, at) => [`p${at}@x.fr`, `Name ${at % 7}`, `c${at}`, at + 5])
  const orders = people.map(([email, name, , number]) => [email, name, number])

  test.each(['fake', 'hash'])('%s: joins by value survive, and the seed decides', async (kind) => {
    const [first, again, other] = await Promise.all(
      ['a', 'a', 'b'].map((seed) => anonymise(objects, rules(kind, seed), { Person: people, Order: orders })),
    )
    expect(first).toEqual(again)
    expect(first?.rows.Person).not.toEqual(other?.rows.Person)
    if (kind === 'fake') expect(column(first?.rows.Order)).toEqual(column(first?.rows.Person))
    expect(column(first?.rows.Order, 2)).toEqual(column(first?.rows.Person, 2))
    expect(new Set(column(first?.rows.Person, 2)).size).toBe(7)
    expect(first?.counts.Person).toMatchObject({ read: 40, rows: 40 })
    expect(first?.counts.Person?.changed.per_email).toBe(40)
  })

  test('without a seed every clone has other values', async () => {
    const make = () => anonymise(objects, 'objects: { Person: { per_email: hash } }', { Person: people })
    expect((await make()).rows).not.toEqual((await make()).rows)
  })

  test('whatever the values, unique ones stay so and lengths hold', async () => {
    const unique = (length: number) =>
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: length, unit: 'grapheme' }), { maxLength: 30 })
    const small = [
      object('Thing', [
        field('one', { unique: true, length: 40 }),
        field('two', { unique: true, length: 4 }),
        field('three', { unique: true, length: 12 }),
        field('four', { type: 'text', unique: true }),
        field('five', { type: 'phone', unique: true }),
      ]),
    ]
    await fc.assert(
      fc.asyncProperty(unique(40), fc.constantFrom('hash', '{ fake: name }'), async (values, rule) => {
        const digits = values.map((_, at) => `+33 ${1000 + at}`)
        const things = values.map((value, at) => [
          value,
          [...value].slice(0, 2).join('') + at,
          value.slice(0, 4) + at,
          value,
          digits[at],
        ])
        const own = `objects: { Thing: { one: ${rule}, two: ${rule}, three: ${rule}, four: ${rule}, five: hash } }`
        const distinct = things.filter((row, at) =>
          [1, 2].every((key) => things.findIndex((one) => one[key] === row[key]) === at),
        )
        const { rows } = await anonymise(small, own, { Thing: distinct })
        for (const [at, limit] of [40, 4, 12, 1000, 255].entries()) {
          const made = column(rows.Thing, at + 1) as string[]
          expect(new Set(made).size).toBe(distinct.length)
          for (const text of made) expect([...text].length).toBeLessThanOrEqual(limit)
        }
      }),
      { numRuns: 20 },
    )
  })

  test('too few values for all are reported, without showing one', async () => {
    const tiny = [object('Thing', [field('code', { unique: true, length: 1 })])]
    const thirtyFour = Array.from('abcdefghijklmnopqrstuvwxyz12345678', (one) => [one])
    await expect(anonymise(tiny, 'objects: { Thing: { code: hash } }', { Thing: thirtyFour })).rejects.toMatchObject({
      code: 'ERR_FAILED',
      message: 'There are too few different values for code: it is unique and takes 1 characters.',
    })
  })
})

describe('values stay what their fields are for', () => {
  test('forms, patterns and ranges', async () => {
    const objects = [
      object('All', [
        field('email', { type: 'email' }),
        field('phone', { type: 'phone' }),
        field('url', { type: 'url' }),
        field('color', { type: 'color' }),
        field('place', { type: 'geocoords' }),
        field('code', { pattern: String.raw`T\d+`, unique: true }),
        field('count', { type: 'integer', min: 10, max: 40 }),
        field('price', { type: 'decimal', precision: 8, scale: 2 }),
        field('day', { type: 'date' }),
        field('moment', { type: 'datetime' }),
        field('hour', { type: 'time' }),
        field('notes', { type: 'text' }),
      ]),
    ]
    const forms = [
      /^[a-z0-9.]+@example\.org$/,
      /^\+?[\d ]+$/,
      /^https:\/\/example\.org\/[a-z2-7]{10,}$/,
      /^#[\da-f]{6}$/,
      /^-?\d+(\.\d+)?;-?\d+(\.\d+)?$/,
      /^T\d{3}$/,
      /^([123]\d|40)$/,
      /^-\d{3}(\.\d\d?)?$/,
      /^2004-\d\d-\d\d$/,
      /^1999-\d\d-\d\d \d\d:\d\d:\d\d$/,
      /^[012]\d:\d\d:\d\d$/,
      /^\S.{0,29}$/,
    ]
    const rows = Array.from({ length: 50 }, (_, at) => [
      ...[
        `a${at}@x.fr`,
        `+33 1 00 ${at}`,
        `https://x.fr/${at}`,
        '#1e90ff',
        `4${at % 9}.5;2.3`,
        `T${100 + at}`,
        10 + (at % 31),
      ],
      ...[-123.45 - at, '2004-02-29', '1999-12-31 23:59:59', '23:59:59', `Met her at ${at}`.padEnd(30, '.')],
    ])
    for (const kind of ['fake', 'hash']) {
      const fields = objects[0]?.fields.filter(({ name, technical }) => name !== 'row_id' && !technical) ?? []
      const text = fields
        .map(({ name }) => `${name}: ${name === 'place' || name === 'notes' ? 'fake' : kind}`)
        .join(', ')
      const { rows: made, counts } = await anonymise(objects, `objects: { All: { ${text} } }`, { All: rows })
      for (const [at, form] of forms.entries())
        for (const value of column(made.All, at + 1)) expect(String(value), fields[at]?.name).toMatch(form)
      expect(typeof made.All?.[0]?.[7]).toBe('number')
      expect(new Set(column(made.All, 6)).size).toBe(50)
      for (const value of column(made.All, 9)) expect(new Date(String(value)).toISOString()).toContain(String(value))
      expect(counts.All?.changed.email).toBe(50)
    }
  })

  test('what is empty stays empty, and null empties', async () => {
    const objects = [
      object('Note', [field('text', { type: 'text' }), field('size', { type: 'integer' }), field('other')]),
    ]
    const { rows, counts } = await anonymise(objects, 'objects: { Note: { text: null, size: null, other: hash } }', {
      Note: [
        ['a', 1, ''],
        ['', null, 'x'],
      ],
    })
    expect(rows.Note?.[0]?.slice(1, 4)).toEqual(['', null, ''])
    expect(rows.Note?.[1]?.slice(1, 3)).toEqual(['', null])
    expect(counts.Note?.changed).toEqual({ text: 1, size: 1, other: 1 })
  })

  test('big numbers stay whole', async () => {
    const objects = [object('Big', [field('id', { type: 'integer', precision: 18, unique: true })])]
    const values = ['123456789012345678', '999999999999999999', -9007199254740991, 0, 7]
    const { rows } = await anonymise(objects, 'objects: { Big: { id: hash } }', { Big: values.map((one) => [one]) })
    for (const [at, value] of column(rows.Big).entries()) {
      expect(typeof value).toBe(typeof values[at])
      expect(String(value)).toMatch(
        new RegExp(String.raw`^${String(values[at]).replace(/\d+/, (digits) => `\\d{${digits.length}}`)}$`),
      )
    }
  })
})

describe('shuffle', () => {
  test('gives every value to another record, each column for itself, the same with the same seed', async () => {
    const objects = [
      object('Thing', [field('code', { unique: true }), field('a'), field('b', { type: 'object' }), field('c')]),
    ]
    const things = Array.from({ length: 600 }, (_, at) => [`c${at}`, `a${at}`, [at], at % 2 ? 'x' : ''])
    const make = (seed: string) =>
      anonymise(objects, `{ seed: ${seed}, objects: { Thing: { code: hash, a: shuffle, b: shuffle, c: shuffle } } }`, {
        Thing: things,
      })
    const [one, same, other] = [await make('s'), await make('s'), await make('t')]
    expect(one).toEqual(same)
    const { rows, counts, end } = one
    expect(column(rows.Thing, 0)).toEqual(things.map((_, at) => String(at + 1)))
    expect(column(rows.Thing, 2).toSorted()).toEqual(column(things, 1).toSorted())
    expect(column(rows.Thing, 2)).not.toEqual(column(other.rows.Thing, 2))
    expect(column(rows.Thing, 3).map((value) => `a${(value as number[])[0]}`)).not.toEqual(column(rows.Thing, 2))
    expect(column(rows.Thing, 4).filter((value) => value === 'x')).toHaveLength(300)
    expect(counts.Thing?.changed.a).toBeGreaterThan(550)
    expect(end).toEqual({ Thing: 600 })
  })
})

describe('users', () => {
  const note = object('Note', [field('text')])
  const logins = [
    ['ann', 'scrypt$1', 'ann@x.fr'],
    ['admin', 'scrypt$2', 'admin@x.fr'],
  ]

  test('who made a record is called there as among the users; the administrator keeps the login', async () => {
    const rules = 'objects: { User: { usr_login: hash, usr_password: null } }'
    const { rows } = await anonymise([user, note], rules, { User: logins, Note: [['x']] })
    const [ann, admin] = rows.User ?? []
    expect(ann?.[1]).toMatch(/^[a-z2-7]{24}$/)
    expect(admin?.slice(1, 3)).toEqual(['admin', ''])
    expect(rows.Note).toEqual([['1', 'x', ann?.[1], 'admin']])
  })

  test('without a rule for logins all keep them', async () => {
    const { rows } = await anonymise([user, note], 'objects: { User: { usr_email: hash } }', {
      User: logins,
      Note: [['x']],
    })
    expect(rows.Note).toEqual([['1', 'x', 'ann', 'admin']])
  })
})

describe('documents', () => {
  const objects = [
    object('Person', [
      field('per_photo', { type: 'image' }),
      field('per_letter', { type: 'document' }),
      field('per_name'),
    ]),
    object('Visit', [field('vis_scan', { type: 'document' })]),
  ]
  const given = {
    Person: [
      ['p1', 'l1', 'Ann'],
      ['p2', '', 'Bob'],
    ],
    Visit: [['s1']],
  }
  const shown = (rows: Rows | undefined) => (rows ?? []).map((row) => row.slice(1, -2))

  test.each([
    [
      'objects: { Person: { per_name: hash } }',
      [],
      [
        ['', ''],
        ['', ''],
      ],
    ],
    [
      'objects: { Person: { per_photo: keep } }',
      ['p1', 'p2'],
      [
        ['p1', ''],
        ['p2', ''],
      ],
    ],
    [
      '{ documents: keep, objects: { Person: { per_photo: null }, Visit: drop } }',
      ['l1'],
      [
        ['', 'l1'],
        ['', ''],
      ],
    ],
    [
      '{ documents: keep, objects: {} }',
      ['p1', 'l1', 'p2', 's1'],
      [
        ['p1', 'l1'],
        ['p2', ''],
      ],
    ],
  ] as const)('%s keeps those that a rule keeps, of records that are there', async (rules, kept, people) => {
    const { rows, documents } = await anonymise(objects, rules, given)
    expect(documents).toEqual(kept)
    expect(shown(rows.Person).map((row) => row.slice(0, 2))).toEqual(people)
  })
})

describe('the dump', () => {
  const objects = [object('AuditEntry', [field('changes')], { system: true }), object('Note', [field('text')])]

  test('has no records of what is dropped, and says so at its end', async () => {
    const given = { AuditEntry: [['was Ada']], Note: [['x']] }
    expect((await anonymise(objects, 'objects: {}', given)).end).toEqual({ AuditEntry: 0, Note: 1 })
    expect((await anonymise(objects, 'objects: { AuditEntry: keep, Note: drop }', given)).end).toEqual({
      AuditEntry: 1,
      Note: 0,
    })
  })

  const whole = dumpOf(objects, { Note: [['é']] })
  test.each([
    [
      'another application',
      whole.replaceAll('Note', 'Other'),
      'it has an object "Other", which the application does not have',
    ],
    ['another field', whole.replace('"text"', '"title"'), 'has no field "title" in Note'],
    ['another format', whole.replace('steward-records', 'zip'), 'it contains an unknown line'],
    ['a damaged line', whole.replace('{"end', '{"en\u0000'), 'it contains a damaged line'],
    ['counts that are wrong', whole.replace('"Note":1', '"Note":2'), 'it declares 2 records of Note'],
  ])('with %s is refused', async (_, dump, message) => {
    await expect(anonymise(objects, 'objects: {}', dump)).rejects.toThrow(message)
  })

  test('with a line without end is refused before it fills the memory', async () => {
    const chunk = Buffer.alloc(2 ** 20, 'x')
    let read = 0
    async function* endless() {
      yield Buffer.from(whole.slice(0, whole.indexOf('é')))
      for (; read < 1000; read++) yield chunk
    }
    const message = 'the dump is invalid: it has a line of more than 67108864 characters.'
    await expect(anonymise(objects, 'objects: {}', endless())).rejects.toThrow(message)
    expect(read).toBeLessThan(65)
  })
})
