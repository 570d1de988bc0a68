import type { EnumField, EnumValue, MultiEnumField } from '../definition/definition.js'
import type { FieldModel } from '../model/model.js'
import { quote } from './describe.js'
import { Problem } from './field-type.js'

/** Codes named in a message; longer lists are cut. */
const mostNamed = 30

/** The list of values of an enum or multi-enum field, in order, labels and all filled in. */
export function enumValues(field: FieldModel): readonly Required<EnumValue>[] {
  return (field.definition as EnumField | MultiEnumField).values.map((value) =>
    typeof value === 'string'
      ? { code: value, label: value, enabled: true }
      : { code: value.code, label: value.label ?? value.code, enabled: value.enabled ?? true },
  )
}

/** Checks that new input may use the code. */
export function checkCode(code: string, field: FieldModel): Problem | undefined {
  if (field.codes?.get(code)) return undefined
  const allowed = [...(field.codes ?? [])].filter(([, enabled]) => enabled).map(([name]) => name)
  const named = allowed.slice(0, mostNamed).join(', ') + (allowed.length > mostNamed ? ', …' : '')
  return new Problem('ERR_ENUM', `must be one of ${named}, not ${quote(code)}`)
}

/** The label of a code; the code itself when the list does not have it. */
export function labelOf(code: string, field: FieldModel): string {
  return enumValues(field).find((value) => value.code === code)?.label ?? code
}
