/** Digits of a number, exactly: value = (negative ? -1 : 1) × `whole`.`fraction`; without superfluous zeros, never `-0`. */
export interface Digits {
  readonly negative: boolean
  /** Without leading zeros; `0` when there is nothing before the point. */
  readonly whole: string
  /** Without trailing zeros; may be empty. */
  readonly fraction: string
}

/** Numbers of more digits than this are not read at all: no field can hold them, and powers of ten would fill the memory. */
const mostDigits = 400
const numberShape = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i

/** Reads a number in decimal notation, with or without an exponent, by its characters; `undefined` when it is none. */
export function readDigits(text: string): Digits | undefined {
  if (text.length > mostDigits) return undefined
  const match = numberShape.exec(text)
  if (!match) return undefined
  const [, sign, before = '', after = '', exponent = '0'] = match
  if (before === '' && after === '') return undefined
  const shift = Number(exponent)
  const point = before.length + shift
  const all = before + after
  const whole = all.slice(0, Math.max(point, 0)).padEnd(point, '0').replace(/^0+/, '')
  const fraction = trimEndZeros(point < 0 ? '0'.repeat(-point) + all : all.slice(point))
  if (whole.length + fraction.length > mostDigits) return undefined
  return { negative: sign === '-' && (whole !== '' || fraction !== ''), whole: whole === '' ? '0' : whole, fraction }
}

/** The shortest exact text: no exponent, no superfluous zeros. */
export function digitsText({ negative, whole, fraction }: Digits): string {
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/**
 * The one form of an integer in records, from its text: a number when safe (±2^53), else a string.
 * The text must be an integer in decimal notation, e.g. from a database.
 */
export function integerValue(text: string): number | string {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number + 0 : text
}

/**
 * The one form of a decimal in records, from its text: a number when 15 digits are enough, so that a double keeps all of
 * them, else a string without superfluous zeros. The text must be a number in decimal notation, e.g. from a database.
 */
export function decimalValue(text: string): number | string {
  const digits = readDigits(text)
  return digits === undefined ? text : valueOfDigits(digits)
}

export function valueOfDigits(digits: Digits): number | string {
  const text = digitsText(digits)
  return significantDigits(digits) <= 15 ? Number(text) : text
}

function significantDigits({ whole, fraction }: Digits): number {
  return whole === '0' ? fraction.replace(/^0+/, '').length : whole.length + fraction.length
}

const ranks: ReadonlyMap<unknown, number> = new Map([
  ['-Infinity', -1],
  ['Infinity', 1],
  ['NaN', 2],
])

/** Where infinity and NaN stand: before all numbers, or after them. `undefined` for a number. */
export function rankBeyond(value: number | string): number | undefined {
  return ranks.get(value)
}

/** Exact order of two numbers given as numbers or texts in decimal notation; `NaN` is greater than any number. */
export function compareNumbers(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [first, second] = [rankBeyond(a), rankBeyond(b)]
  if (first !== undefined || second !== undefined) return (first ?? 0) - (second ?? 0)
  const x = readDigits(String(a))
  const y = readDigits(String(b))
  if (!x || !y) throw new TypeError(`Cannot compare ${String(a)} with ${String(b)}: not numbers.`)
  if (x.negative !== y.negative) return x.negative ? -1 : 1
  const sign = x.negative ? -1 : 1
  if (x.whole.length !== y.whole.length) return x.whole.length < y.whole.length ? -sign : sign
  const left = x.whole + x.fraction
  const right = y.whole + y.fraction
  return left === right ? 0 : left < right ? -sign : sign
}

function trimEndZeros(text: string): string {
  // A loop, because /0+$/ takes quadratic time on long runs of zeros that do not end the text.
  let end = text.length
  while (end > 0 && text[end - 1] === '0') end--
  return text.slice(0, end)
}
