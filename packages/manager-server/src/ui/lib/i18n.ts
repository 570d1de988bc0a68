import { createTexts, language, typeset, type Language } from '@steward/page-kit'
import { de, sentences as german } from '../texts/de.js'
import { en, type TextKey } from '../texts/en.js'
import { fr } from '../texts/fr.js'
import { sentences as french } from '../texts/fr/sentences.js'

export const { t, hasText } = createTexts<TextKey>({ en, fr, de })

/** What the action table says, by ids, in other languages than its own. */
const sentences: Readonly<Record<Language, Readonly<Record<string, string>>>> = { en: {}, fr: french, de: german }

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

/** @param ids of the translation, the first that there is */
function said(english: string, ids: readonly string[]): Said {
  if (language === 'en') return { text: english, lang: undefined }
  const translated = sentences[language]
  const id = ids.find((one) => Object.hasOwn(translated, one))
  return id === undefined
    ? { text: english, lang: 'en' }
    : { text: typeset(translated[id] as string, language), lang: undefined }
}
