import { readTime, temporalType, timePattern } from './temporal.js'

/** A time of day, `HH:mm:ss`. */
export const timeType = temporalType({
  name: 'time',
  number: 6,
  read: readTime,
  expected: () => 'a time such as 13:45:00',
  pattern: timePattern,
})
