import type { FieldModel } from '../model/model.js'
import {
  datePattern,
  extendedDatePattern,
  hasOffset,
  readExtendedDatetime,
  readMoment,
  temporalType,
  timePattern,
  withFraction,
} from './temporal.js'

/** A moment in UTC, or without a time zone (`zone: none`), `yyyy-MM-dd HH:mm:ss`. A date alone is its midnight. */
export const datetimeType = temporalType({
  name: 'datetime',
  number: 5,
  read(text, field) {
    if (isWithoutZone(field) && hasOffset(text)) return undefined
    const moment = readMoment(text)
    return moment && `${moment.date} ${withFraction(moment, field)}`
  },
  expected: (field) =>
    isWithoutZone(field)
      ? 'a date and time without a time zone, such as 2024-02-29 13:45:00'
      : 'a date and time such as 2024-02-29 13:45:00 or 2024-02-29T13:45:00Z',
  pattern: (fraction) => `${datePattern} ${timePattern}${fraction}`,
  extended: {
    pattern: (fraction) => extendedDatePattern.replace('(?: BC)?', ` ${timePattern}${fraction}(?: BC)?`),
    read: readExtendedDatetime,
  },
})

function isWithoutZone({ definition }: FieldModel): boolean {
  return definition.type === 'datetime' && definition.zone === 'none'
}
