export type Language = 'en' | 'fr'
export const languages: readonly Language[] = ['en', 'fr']

const key = 'steward.language'

/** What was chosen in the page, else what the browser prefers. */
export const language: Language =
  chosen() ?? (navigator.languages.some((one) => /^fr\b/i.test(one)) ? preferred() : 'en')

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
