/**
 * Where a text stops being JSON: the offset of the first character that cannot be right, or the length of the text when
 * it only ends too early; `undefined` for valid JSON. `JSON.parse` says it only sometimes, and quotes what was sent.
 */
export function jsonErrorPosition(text: string): number | undefined {
  const open: ('{' | '[')[] = []
  let expected: 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma' | 'end' = 'value'
  let at = 0

  for (;;) {
    at = match(/[\t\n\r ]*/y, text, at)
    const character = text[at]
    if (character === undefined) return expected === 'end' ? undefined : text.length
    if (expected === 'comma') {
      const inside = open.at(-1)
      if (character === ',') {
        expected = inside === '{' ? 'key' : 'value'
        at++
      } else if (character === (inside === '{' ? '}' : ']')) close()
      else return at
    } else if (expected === 'colon') {
      if (character !== ':') return at
      expected = 'value'
      at++
    } else if (expected === 'key' || expected === 'key or }') {
      if (character === '}' && expected === 'key or }') close()
      else if (character !== '"') return at
      else {
        const wrong = string()
        if (wrong !== undefined) return wrong
        expected = 'colon'
      }
    } else if (expected === 'end') {
      return at
    } else if (character === '{' || character === '[') {
      open.push(character)
      expected = character === '{' ? 'key or }' : 'value or ]'
      at++
    } else if (character === ']' && expected === 'value or ]') {
      close()
    } else {
      const wrong = character === '"' ? string() : scalar()
      if (wrong !== undefined) return wrong
      expected = open.length > 0 ? 'comma' : 'end'
    }
  }

  function close(): void {
    open.pop()
    expected = open.length > 0 ? 'comma' : 'end'
    at++
  }

  /** Moves past a string; the offset of what is wrong in it. */
  function string(): number | undefined {
    at++
    for (;;) {
      at = match(/[\x20-\x21\x23-\x5b\x5d-\uffff]*/y, text, at)
      const character = text[at]
      if (character !== '\\') {
        if (character !== '"') return at
        at++
        return undefined
      }
      const escape = match(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y, text, at)
      if (escape === at) return match(/\\(?:u[\da-fA-F]{0,3})?/y, text, at)
      at = escape
    }
  }

  /** Moves past a number, `true`, `false` or `null`; the offset of what is wrong in it. */
  function scalar(): number | undefined {
    const end = match(wholeScalar, text, at)
    const most = match(startOfScalar, text, at)
    if (end === at || most > end) return Math.max(most, at)
    at = end
    return undefined
  }
}

const wholeScalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** As much as could become one with more text after it. */
const startOfScalar =
  /-?(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?\d*)?)?|[eE][+-]?\d*)?|-|t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?/y

/** The end of a sticky match, or `at` when there is none. */
function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
