import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { jsonErrorPosition } from './json-position.js'
import { parseJson } from './json.js'

describe('jsonErrorPosition()', () => {
  it.each([
    ['', 0],
    ['{"a":1', 6],
    ['{"a":1}', undefined],
    [' [1, 2.5e-3, "x\\u00e9\\n", true, false, null, {}, []] ', undefined],
    ['[1,]', 3],
    ['{"a" 1}', 5],
    ['{"a":1,}', 7],
    ['{,}', 1],
    ['[01]', 2],
    ['[1.]', 3],
    ['[1.e3]', 3],
    ['[.5]', 1],
    ['[-x]', 2],
    ['-', 1],
    ['1e', 2],
    ['[truth]', 4],
    ['tru', 3],
    ['"\\x"', 2],
    ['"\\u12g4"', 5],
    ['"\\', 2],
    ['"a\nb"', 2],
    ['[1}', 2],
    ['{"a":1]', 6],
    [']', 0],
    ['1 2', 2],
    ['\u00a01', 0],
  ])('%j is wrong at %j', (text, position) => {
    expect(jsonErrorPosition(text)).toBe(position)
  })

  it('agrees with JSON.parse on what is JSON', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(200), fc.constantFrom('', ',', '"', '{', ']', '\\', '0', '-', 'e', '.', '\n', 'x'))
      .map(([text, at, by]) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + by + text.slice(place + (by === '' ? 1 : at % 2))
      })
    fc.assert(
      fc.property(
        fc.oneof(damaged, fc.json(), fc.string({ unit: fc.constantFrom(...'[]{},:"\\u0e.-+1tfn ') })),
        (text) => {
          const position = jsonErrorPosition(text)
          expect(position === undefined).toBe(isJson(text))
          if (position === undefined) return
          // What stands before the place may be the start of JSON; with the next character it may not.
          expect(jsonErrorPosition(text.slice(0, position))).toSatisfy((end) => end === undefined || end === position)
          if (position < text.length) expect(jsonErrorPosition(text.slice(0, position + 1))).toBe(position)
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('reads long texts', () => {
    const long = `["${'x'.repeat(10_000_000)}","${'\\n'.repeat(1_000_000)}",${'1'.repeat(1_000_000)}`
    expect(jsonErrorPosition(long)).toBe(long.length)
    expect(jsonErrorPosition('['.repeat(1_000_000))).toBe(1_000_000)
  })
})

describe('parseJson()', () => {
  it('gives what JSON.parse gives, but for long numbers', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('keeps every digit of long numbers on the first level', () => {
    const text =
      '{"a":9007199254740993,"b":-0.12345678901234567890,"c":1e999,"d":123456789012345.5,"e":0.10,"f":"9007199254740993","g":[9007199254740992],"h":0e999}'
    expect(parseJson(text)).toEqual({
      a: '9007199254740993',
      b: '-0.12345678901234567890',
      c: '1e999',
      d: 123456789012345.5,
      e: 0.1,
      f: '9007199254740993',
      g: [9007199254740992],
      h: 0,
    })
  })

  it('refuses a longer number inside a value, where it would lose digits unseen', () => {
    for (const inside of ['[9007199254740993]', '{"b":{"c":[1, 9007199254740993]}}']) {
      expect(() => parseJson(`{"a":${inside}}`)).toThrow('The number 9007199254740993 inside a value would lose digits')
    }
    expect(parseJson('{"a":[0.30000000000000004, 1e300]}')).toEqual({ a: [0.30000000000000004, 1e300] })
  })

  it('keeps every decimal number of a field', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.nat(30), (digits, scale) => {
        const padded = digits.toString().replace(/^-?/, '$&' + '0'.repeat(scale + 1))
        const whole = padded.slice(0, padded.length - scale).replace(/^(-?)0+(?=\d)/, '$1')
        const source = scale === 0 ? whole : `${whole}.${padded.slice(padded.length - scale)}`
        const { x } = parseJson(`{"x":${source},"y":1234567890123456789}`) as { x: number | string }
        if (typeof x === 'string') expect(x).toBe(source)
        else expect(sameNumber(String(x), source)).toBe(true)
      }),
    )
  })

  it('counts levels of nesting, not brackets in texts', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
    expect(parseJson(nested(100))).toBeTruthy()
    expect(() => parseJson(nested(101))).toThrow(/nested deeper than 100/)
    expect(parseJson(JSON.stringify({ a: '[{'.repeat(1000), b: '\\"[['.repeat(100), '[': 1 }))).toBeTruthy()
    expect(parseJson(`[${'[],'.repeat(1000)}1]`)).toHaveLength(1001)
    expect(() => parseJson(`{"a":"\\\\","b":${nested(100)}}`)).toThrow(/nested deeper/)
  })

  it('takes 500,000 values, commas in texts not counted', () => {
    const listed = (count: number): string => `[${'1,'.repeat(count - 1)}1]`
    expect(parseJson(listed(499_998))).toHaveLength(499_998)
    expect(() => parseJson(listed(500_001))).toThrow(/more than 500000 values/)
    expect(() => parseJson(`[${'{},'.repeat(300_000)}1]`)).toThrow(/more than 500000 values/)
    expect(parseJson(JSON.stringify({ a: ','.repeat(600_000) }))).toBeTruthy()
  })

  it('takes many long numbers without a call for each value', () => {
    const parse = vi.spyOn(JSON, 'parse')
    try {
      const long = '12345678901234567.5'
      const members = Array.from({ length: 2000 }, (_, at) => `"k${at}": -${long}, "s${at}": "${long}", "n${at}": 1e2`)
      const value = parseJson(`{${members.join(',')}}`) as Record<string, unknown>
      expect([value['k1999'], value['s1999'], value['n1999']]).toEqual([`-${long}`, long, 100])
      expect(parseJson(`[${Array(2000).fill(long).join(',')}]`)).toEqual(Array(2000).fill(long))
      expect(() => parseJson(`[${Array(2000).fill(`{"a":${long}}`).join(',')}]`)).toThrow(/inside a value would lose/)
      expect(() => parseJson(`[${Array(10_001).fill(long).join(',')}]`)).toThrow(/more than 10000 numbers/)
      // The reviver of `JSON.parse` takes ten times as long as the rest.
      expect(parse.mock.calls.map((given) => given.length)).toEqual([1, 1, 1])
    } finally {
      parse.mockRestore()
    }
  })

  it('does not repeat what was sent', () => {
    fc.assert(
      fc.property(fc.nat(60), (length) => {
        const text = '{"password":"hunter2hunter2","x":["hunter2",tru]}'.slice(0, length)
        try {
          parseJson(text)
        } catch (error) {
          expect((error as Error).message).not.toContain('hunter')
        }
      }),
    )
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether two plain decimal texts are the same number. */
function sameNumber(one: string, other: string): boolean {
  return normal(one) === normal(other)
}

function normal(text: string): string {
  const [, sign = '', whole = '', part = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text) ?? []
  const digits = (whole + part).replace(/^0+/, '')
  const trimmed = digits.replace(/0+$/, '')
  return trimmed === '' ? '0' : `${sign}${trimmed}e${Number(exponent) - part.length + digits.length - trimmed.length}`
}
