import { datePattern, extendedDatePattern, readExtendedDate, readMoment, temporalType } from './temporal.js'

/** A day, `yyyy-MM-dd`. Of a date with a time the day in UTC is taken. */
export const dateType = temporalType({
  name: 'date',
  number: 4,
  read: (text) => readMoment(text)?.date,
  expected: () => 'a date such as 2024-02-29',
  pattern: () => datePattern,
  extended: { pattern: () => extendedDatePattern, read: readExtendedDate },
})
