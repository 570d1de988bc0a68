// @ts-check

/**
 * International bank account numbers: kept without blanks and in capitals, and refused when the check digits are wrong.
 *
 * @type {import('@steward/rest-core').CustomFieldType}
 */
export const fieldType = {
  name: 'x-iban',
  summary: 'international bank account number (IBAN)',
  base: 'string',
  defaults: { length: 34 },

  normalize: (value) => String(value).replaceAll(/\s/gu, '').toUpperCase(),

  check(value, { options }) {
    const text = String(value)
    if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text)) return 'must be an IBAN such as DE89 3704 0044 0532 0130 00'
    const countries = /** @type {readonly string[] | undefined} */ (options['countries'])
    if (countries && !countries.includes(text.slice(0, 2)))
      return `must be an IBAN of ${countries.join(' or ')}, not of ${text.slice(0, 2)}`
    return remainder(text) === 1 ? undefined : 'must be an IBAN; its check digits do not fit, so a digit may be wrong'
  },

  /** In groups of four, as banks print it. */
  format: (value) => String(value).replaceAll(/(.{4})(?=.)/gu, '$1 '),

  jsonSchema: () => ({ pattern: '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$' }),

  checkOptions: (options) =>
    Object.entries(options).flatMap(([name, value]) => {
      if (name !== 'countries') return [`"${name}" is not known; there is "countries"`]
      const isList = Array.isArray(value) && value.every((code) => typeof code === 'string' && /^[A-Z]{2}$/.test(code))
      return isList ? [] : ['countries must be a list of codes such as DE']
    }),
}

/**
 * Modulo 97, with letters as numbers from 10 on and the first four characters at the end (ISO 13616).
 *
 * @param {string} text
 */
function remainder(text) {
  const digits = `${text.slice(4)}${text.slice(0, 4)}`.replaceAll(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  )
  let rest = 0
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97
  return rest
}
