/** The first preference in this language, with its region; without one the language alone. */
export function localeOf(language: string, preferences: readonly string[]): string {
  return preferences.find((tag) => tag.toLowerCase().split('-')[0] === language) ?? language
}
