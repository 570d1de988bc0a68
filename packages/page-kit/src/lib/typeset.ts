import type { Language } from './language.js'

/** French has a space before these signs, and inside of its quotation marks, where no line may end. */
const tied = / (?=[:;?!%»])|(?<=«) /g

/** A text as its language sets it. */
export function typeset(text: string, language: Language): string {
  return language === 'fr' ? text.replaceAll(tied, '\u00A0') : text
}
