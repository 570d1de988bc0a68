import { describe } from './describe.js'
import { Problem, type FieldType } from './field-type.js'
import type { FieldValue } from './field-value.js'
import { compareNumbers, digitsText, readDigits } from './number-text.js'

/** Digits after the point; 12 are less than a micrometre. */
const mostFraction = 12
const columnLength = 40

const upTo90 = String.raw`(?:90(?:\.0{1,12})?|[0-8]?\d(?:\.\d{1,12})?)`
const upTo180 = String.raw`(?:180(?:\.0{1,12})?|(?:1[0-7]\d|\d{1,2})(?:\.\d{1,12})?)`
const shape = `-?${upTo90};-?${upTo180}`

/** `latitude;longitude` in degrees, latitude within ±90, longitude within ±180, without superfluous zeros. */
export const geocoordsType: FieldType = {
  name: 'geocoords',
  number: 25,
  empty: '',
  like: true,
  ordered: false,
  parse(input): FieldValue | Problem {
    if (input === null || input === undefined || input === '') return ''
    if (typeof input !== 'string') return notCoordinates(input)
    const [latitude, longitude, ...rest] = input.split(';', 3)
    const lat = readDegrees(latitude, 90)
    const long = readDegrees(longitude, 180)
    return lat === undefined || long === undefined || rest.length > 0 ? notCoordinates(input) : `${lat};${long}`
  },
  validate: () => undefined,
  format: String,
  column: () => ({ kind: 'string', length: columnLength }),
  jsonSchema: (field) => ({
    type: 'string',
    pattern: field.required ? `^${shape}$` : `^(?:${shape})?$`,
    description: 'latitude;longitude in degrees',
  }),
}

function readDegrees(text: string | undefined, most: number): string | undefined {
  const digits = text === undefined ? undefined : readDigits(text.trim())
  if (!digits || digits.fraction.length > mostFraction) return undefined
  return compareNumbers(digitsText({ ...digits, negative: false }), most) > 0 ? undefined : digitsText(digits)
}

function notCoordinates(input: unknown): Problem {
  return new Problem(
    'ERR_TYPE',
    `must be coordinates such as 48.8566;2.3522 (latitude;longitude, at most ${mostFraction} digits after the point), not ${describe(input)}`,
  )
}
