import { readExtendedTime, readTime, temporalType, timePattern, withFraction } from './temporal.js'

/** A time of day, `HH:mm:ss`; with `extended` a time beyond a day, too. */
export const timeType = temporalType({
  name: 'time',
  number: 6,
  read(text, field) {
    const time = readTime(text)
    return time && withFraction(time, field)
  },
  expected: () => 'a time such as 13:45:00',
  pattern: (fraction) => `${timePattern}${fraction}`,
  extended: {
    pattern: (fraction) => `-?[0-9]{2,3}:[0-5][0-9]:[0-5][0-9]${fraction}`,
    read: readExtendedTime,
  },
})
