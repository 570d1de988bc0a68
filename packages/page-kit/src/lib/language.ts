import { localeOf } from './locale-of.js'

/** The languages that there are texts in, each with its own name. */
export const languageNames = { en: 'English', fr: 'Français', de: 'Deutsch' } as const
export type Language = keyof typeof languageNames
export const languages = Object.keys(languageNames) as readonly Language[]

const key = 'steward.language'

/** What was chosen in the page, else what the browser prefers. */
export const language: Language = chosen() ?? preferred()

/** How numbers and dates are written: as the browser prefers it in that language, `en-GB` or `de-CH`. */
export const locale: string = localeOf(language, navigator.languages)

document.documentElement.lang = language

function chosen(): Language | undefined {
  try {
    return languages.find((one) => one === localStorage.getItem(key))
  } catch {
    return undefined
  }
}

/** The first preference that there are texts in: `de-CH` is German. */
function preferred(): Language {
  const preferences = navigator.languages.map((tag) => tag.toLowerCase().split('-')[0])
  return preferences.flatMap((code) => languages.find((one) => one === code) ?? [])[0] ?? 'en'
}

/** Another language holds from the next load on. */
export function choose(one: Language): void {
  localStorage.setItem(key, one)
  location.reload()
}
