import { ManagerError } from '../../errors.js'
import type { Instance } from './instance.js'

/** Whom an instance is for. Empty texts: not known. Source: docs/spec/wire-decisions.md, "instance". */
export type Owner = Pick<Instance, 'ownerEmail' | 'firstname' | 'lastname' | 'phone' | 'company'>

/** As people name them, and how long they may be. Not specified; chosen: above what people are called. */
const fields: Readonly<Record<keyof Owner, { readonly title: string; readonly maxLength: number }>> = {
  ownerEmail: { title: 'e-mail address', maxLength: 254 },
  firstname: { title: 'first name', maxLength: 80 },
  lastname: { title: 'last name', maxLength: 80 },
  phone: { title: 'phone number', maxLength: 40 },
  company: { title: 'company', maxLength: 120 },
}

const addressPattern = /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+\.[^\s@<>,;:"()[\]\\.]+$/
// Ends of lines and other characters that cannot be seen would start another header of a mail, or another line of a log.
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** What is wrong with a value of an owner, as words that follow its name; undefined: nothing. Empty is allowed. */
export function faultOfOwner(field: keyof Owner, text: string): 'too-long' | 'invisible' | 'no-address' | undefined {
  if (text.length > fields[field].maxLength) return 'too-long'
  if (invisible.test(text)) return 'invisible'
  return field === 'ownerEmail' && text !== '' && !addressPattern.test(text) ? 'no-address' : undefined
}

/** @throws ManagerError ERR_USAGE naming the value */
export function checkOwner(owner: Partial<Owner>): void {
  for (const [field, text] of Object.entries(owner) as [keyof Owner, string][]) {
    const { title, maxLength } = fields[field]
    const allowed = {
      'too-long': `at most ${maxLength} characters`,
      invisible: 'one line of text',
      'no-address': 'one address such as ada@example.org',
    }
    const fault = faultOfOwner(field, text)
    const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text
    if (fault)
      throw new ManagerError('ERR_USAGE', `The ${title} takes ${allowed[fault]}, not ${JSON.stringify(shown)}.`)
  }
}
