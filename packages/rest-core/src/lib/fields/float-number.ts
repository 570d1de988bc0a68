import { digitsText, readDigits, type Digits } from './number-text.js'

/** `NaN`, `Infinity` or `-Infinity` in its one form, and `-0`, which only a floating-point number is; `undefined` for other texts. */
export function readBeyond(text: string): string | undefined {
  return beyondForms.get(text.toLowerCase())
}

const beyondForms: ReadonlyMap<string, string> = new Map([
  ['nan', 'NaN'],
  ['infinity', 'Infinity'],
  ['-infinity', '-Infinity'],
  ['-0', '-0'],
])

/** The shortest number that is the same one in single precision, as databases write it: 1.1 for 1.100000023841858. */
export function shortestSingle(number: number): number {
  const single = Math.fround(number)
  if (!Number.isFinite(single)) return single
  for (let digits = 1; digits < 9; digits++) {
    const rounded = Number(single.toPrecision(digits))
    if (Math.fround(rounded) === single) return rounded
  }
  return Number(single.toPrecision(9))
}

/** The floating-point number that has these digits; the nearest one as a text when none has. */
export function floatOf(digits: Digits, storage: 'double' | 'single'): number | string {
  const text = digitsText(digits)
  const double = Number(text)
  const number = storage === 'single' ? shortestSingle(double) : double
  const read = readDigits(String(number))
  return read && digitsText(read) === text ? number : String(number)
}

/** What a floating-point column holds, from its text or its number; what is no number as a string. */
export function floatValue(given: string | number, storage: 'double' | 'single', extended: boolean): number | string {
  const number = Number(given)
  if (Number.isFinite(number)) {
    if (extended && Object.is(number, -0)) return '-0'
    return storage === 'single' ? shortestSingle(number) + 0 : number + 0
  }
  return String(number)
}
