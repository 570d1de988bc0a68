import { en, type TextKey } from '../texts/en.js'
import { fr } from '../texts/fr.js'
import { sentences } from '../texts/fr/sentences.js'
import type { Text } from '../texts/text.js'

export type Language = 'en' | 'fr'
export const languages: readonly Language[] = ['en', 'fr']

const key = 'steward.language'

/** What was chosen in the page, else what the browser prefers. */
export const language: Language =
  chosen() ?? (navigator.languages.some((one) => /^fr\b/i.test(one)) ? preferred() : 'en')

const texts = { en, fr }[language]
document.documentElement.lang = language

function chosen(): Language | undefined {
  try {
    return languages.find((one) => one === localStorage.getItem(key))
  } catch {
    return undefined
  }
}

/** The first one that there are texts of. */
function preferred(): Language {
  return (
    languages.find((one) => navigator.languages.find((prefers) => /^(en|fr)\b/i.test(prefers))?.startsWith(one)) ?? 'en'
  )
}

/** Another language holds from the next load on. */
export function choose(one: Language): void {
  localStorage.setItem(key, one)
  location.reload()
}

/** Whether there is a text of that key: of what the server names, such as an action. */
export function hasText(name: string): name is TextKey {
  return Object.hasOwn(texts, name)
}

/** The text of a key, with its `{places}` filled. Of a plural, `{one, other}` by `count`. */
export function t(name: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const text: Text = texts[name]
  const form = typeof text === 'string' ? text : text[plural(Number(values.count))]
  return form.replaceAll(/\{(\w+)\}/g, (place, value: string) => {
    const filled = values[value]
    return filled === undefined ? place : typeof filled === 'number' ? filled.toLocaleString(language) : filled
  })
}

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

function plural(count: number): 'one' | 'other' {
  return new Intl.PluralRules(language).select(count) === 'one' ? 'one' : 'other'
}
