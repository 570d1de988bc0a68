import type { FieldTypeName } from '../definition/definition.js'
import { booleanType } from './boolean.js'
import { colorType } from './color.js'
import { dateType } from './date.js'
import { datetimeType } from './datetime.js'
import { decimalType } from './decimal.js'
import { documentFieldType } from './document.js'
import { emailType } from './email.js'
import { enumType } from './enum.js'
import type { FieldType } from './field-type.js'
import { geocoordsType } from './geocoords.js'
import { htmlType } from './html.js'
import { idType } from './id.js'
import { imageType } from './image.js'
import { integerType } from './integer.js'
import { multiEnumType } from './multi-enum.js'
import { objectType } from './object.js'
import { passwordType } from './password.js'
import { phoneType } from './phone.js'
import { referenceType } from './reference.js'
import { regexpType } from './regexp.js'
import { stringType } from './string.js'
import { longTextType } from './text.js'
import { timeType } from './time.js'
import { urlType } from './url.js'

/** All field types by name. */
export const fieldTypes: Readonly<Record<FieldTypeName, FieldType>> = Object.freeze({
  id: idType,
  reference: referenceType,
  string: stringType,
  text: longTextType,
  integer: integerType,
  decimal: decimalType,
  boolean: booleanType,
  date: dateType,
  datetime: datetimeType,
  time: timeType,
  enum: enumType,
  'multi-enum': multiEnumType,
  password: passwordType,
  url: urlType,
  email: emailType,
  phone: phoneType,
  color: colorType,
  html: htmlType,
  regexp: regexpType,
  document: documentFieldType,
  image: imageType,
  geocoords: geocoordsType,
  object: objectType,
})
