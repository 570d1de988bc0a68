import { datePattern, readMoment, temporalType, timePattern } from './temporal.js'

/** A moment in UTC, `yyyy-MM-dd HH:mm:ss`. A date alone is its midnight. */
export const datetimeType = temporalType({
  name: 'datetime',
  number: 5,
  read(text) {
    const moment = readMoment(text)
    return moment && `${moment.date} ${moment.time}`
  },
  expected: 'a date and time such as 2024-02-29 13:45:00 or 2024-02-29T13:45:00Z',
  pattern: `${datePattern} ${timePattern}`,
})
