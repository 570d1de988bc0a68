import { createTexts, language } from '@steward/page-kit'
import type { Wording } from './condition-words.js'
import { de } from './texts/de.js'
import { en } from './texts/en.js'
import { fr } from './texts/fr.js'

export const { t, hasText } = createTexts<keyof typeof en>({ en, fr, de })

/** For sentences, whose keys follow from what they are about. */
export const wording: Wording = {
  t: (key, values) => (hasText(key) ? t(key, values) : key),
  language,
}

/** What happened to a record. */
export function eventName(action: string): string {
  return wording.t(hasText(`webhook.${action}`) ? `webhook.${action}` : action)
}
