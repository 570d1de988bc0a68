import { createTexts, language } from '@steward/page-kit'
import { en, type TextKey } from '../texts/en.js'
import { fr } from '../texts/fr.js'
import { sentences } from '../texts/fr/sentences.js'

export const { t, hasText } = createTexts<TextKey>({ en, fr })

/** What the server says in English, as its action table does; with the language of the text, when it is not the page's. */
export interface Said {
  readonly text: string
  readonly lang: 'en' | undefined
}

/** What an action is for, in the language of the page; without a translation it stays English. */
export function summaryOf({ name, summary }: { readonly name: string; readonly summary: string }): Said {
  return said(summary, [`${name}.summary`])
}

/** What an input of an action is for, in the language of the page; without a translation it stays English. */
export function inputSummaryOf(action: string, { name, summary }: { readonly name: string; readonly summary: string }) {
  return said(summary, [`${action}.input.${name}`, `input.${name}`])
}

/** @param ids of the French, the first that there is */
function said(english: string, ids: readonly string[]): Said {
  if (language === 'en') return { text: english, lang: undefined }
  const id = ids.find((one) => Object.hasOwn(sentences, one))
  return id === undefined ? { text: english, lang: 'en' } : { text: sentences[id] as string, lang: undefined }
}
