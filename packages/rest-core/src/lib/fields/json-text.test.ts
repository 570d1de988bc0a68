import { describe, expect, it } from 'vitest'
import type { JsonValue } from './field-value.js'
import { jsonText, keepNumbers, readJsonText } from './json-text.js'

describe('readJsonText() and jsonText()', () => {
  for (const [text, value] of [
    ['{"creator":750727362669608961,"n":1}', { creator: '750727362669608961', n: 1 }],
    ['[12345678901234567890,[0.12345678901234567,1e400]]', ['12345678901234567890', ['0.12345678901234567', '1e400']]],
    ['{"a":"750727362669608961","b":[]}', { a: '750727362669608961', b: [] }],
    ['[0.1,100,true,null,""]', [0.1, 100, true, null, '']],
  ] as const) {
    it(`${text} keeps its digits`, () => {
      const read = readJsonText(text)
      expect(read).toEqual(value)
      expect(jsonText(read)).toBe(text)
    })
  }

  it('a member called __proto__ is one like others', () => {
    const text = '{"__proto__":{"n":750727362669608961}}'
    expect(jsonText(readJsonText(text))).toBe(text)
  })

  it('another text in the place of a number is a text', () => {
    const value = readJsonText('{"n":750727362669608961}') as { n: string }
    value.n = 'none'
    expect(jsonText(value)).toBe('{"n":"none"}')
  })

  it('throws for what is not JSON', () => {
    expect(() => readJsonText('{"n":750727362669608961')).toThrow(SyntaxError)
  })
})

describe('keepNumbers()', () => {
  const stored = readJsonText('{"n":750727362669608961,"list":[9007199254740993],"text":"9007199254740993"}')
  const kept = (value: JsonValue): string => {
    keepNumbers(value, stored)
    return jsonText(value)
  }

  it('a number that was answered as a text is one again when it is sent back beside a change', () => {
    expect(kept({ n: '750727362669608961', more: 1 })).toBe('{"n":750727362669608961,"more":1}')
  })

  it('also when it has moved', () => {
    expect(kept({ deep: [{ was: '750727362669608961' }] })).toBe('{"deep":[{"was":750727362669608961}]}')
  })

  it('a text that is also there as a text is a number at its place only', () => {
    expect(kept({ list: ['9007199254740993'], text: '9007199254740993', other: '9007199254740993' })).toBe(
      '{"list":[9007199254740993],"text":"9007199254740993","other":"9007199254740993"}',
    )
  })
})
